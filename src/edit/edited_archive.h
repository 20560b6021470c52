// An archive with changes, in memory, and the changes of a member's text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "archive/rewrite.h"
#include "deployment/tir_name.h"
#include "json/document.h"
#include "mlf/archive.h"
#include "mlf/deployment.h"
#include "mlf/tir/module.h"
#include "support/source_text.h"
#include "tir/c/c.h"
#include "tir/places.h"

namespace mlf::edit {

/// Places in texts are of 32 bits: a source has at most 4 GiB.
inline tir::SourceRange at(std::size_t begin, std::size_t end) {
  return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
}

/// The bytes of a value in its document.
inline tir::SourceRange range_of(json::Value value) {
  return at(value.offset(), value.offset() + value.source().size());
}

inline std::string_view text_in(std::string_view text, tir::SourceRange range) {
  return text.substr(range.begin, range.end - range.begin);
}

/// With the blanks before it and the newline behind it, if its lines contain nothing else.
tir::SourceRange whole_lines(std::string_view text, tir::SourceRange range);
/// With the empty line behind it.
tir::SourceRange with_empty_line(std::string_view text, tir::SourceRange range);

/// New text for `range`.
struct Edit {
  tir::SourceRange range;
  std::string text;
};

/// Edits of several members.
using FileEdits = std::map<const archive::Member*, std::vector<Edit>>;

/// Returns the text with all edits, which may come in any order. Two edits of one range must be
/// equal, and others must not overlap; throws `Error` otherwise.
std::string apply(std::string_view text, std::vector<Edit> edits);

/// Adds the edits that remove elements of a list, each with one comma.
void remove_elements(std::span<const tir::SourceRange> elements, const std::vector<bool>& removed,
                     std::vector<Edit>& edits);

/// A number of a plan, before and after.
struct NumberChange {
  std::uint64_t before = 0;
  std::uint64_t after = 0;
};

/// Replaces the decimal digits at the beginning of `range` by the new number. Throws `Error`
/// (check_failed) if they are not the old number; `what` names it in the message.
Edit number_edit(const support::SourceText& source, tir::SourceRange range,
                 const NumberChange& change, std::string_view what);

/// Throws because the change cannot be proven correct. `where` is a member, or empty.
[[noreturn]] void refuse(std::string message, std::string_view where = {});

/// TIR, and the places of its parts in the texts that it was read from.
struct PlacedTir {
  tir::Document document;
  tir::Places places;
  std::vector<const archive::Member*> files;               ///< the texts, by Place::file
  const TirSource* c = nullptr;                            ///< null for captured TIR
  std::map<tir::NodeId, std::vector<tir::Place>> loads{};  ///< by variable

  /// The loads through a variable, each place once: the reader may read a statement twice.
  std::span<const tir::Place> loads_of(tir::NodeId variable) const {
    const auto found = loads.find(variable);
    return found == loads.end() ? std::span<const tir::Place>() : std::span(found->second);
  }
  const std::string& name() const { return c == nullptr ? files.front()->name : c->name; }
};

/// Members with their present content.
class EditedMembers {
 public:
  /// The deployment must outlive this. `reading`: how to read the members again.
  explicit EditedMembers(const Deployment& deployment, DeploymentOptions reading = {})
      : deployment_(deployment),
        reading_(std::move(reading)),
        directory_(deployment::source_directory(deployment.archive())) {}

  /// Without the changes.
  const Deployment& deployment() const { return deployment_; }
  const archive::Archive& archive() const { return deployment_.archive(); }
  const DeploymentOptions& reading() const { return reading_; }

  /// Throws `Error` if the member cannot be read. The view is valid until the next `replace`.
  std::string_view text_of(const archive::Member& member) const;
  support::SourceText source_of(const archive::Member& member) const {
    return {archive().path(), member.name, text_of(member)};
  }
  void replace(archive::EditedMember member);
  /// Applies edits to the present texts of members, which are replaced if they change.
  void edit(FileEdits edits);
  /// Returns the members with captured TIR, in the order of the archive.
  std::vector<const archive::Member*> captured() const;

  /// Gives away the TIR of a member or of generated C. Reads its present text, unless the TIR was
  /// kept. Throws `Error` if it cannot be read.
  PlacedTir take_tir(const archive::Member& member);
  PlacedTir take_tir(const TirSource& c);
  /// The same TIR, as its texts are now.
  PlacedTir take_tir(const PlacedTir& old) {
    return old.c == nullptr ? take_tir(*old.files.front()) : take_tir(*old.c);
  }
  /// Keeps the TIR of the present texts until someone takes it or a text changes.
  void keep_tir(PlacedTir tir);

  /// Returns the same members, without the TIR that was kept, for further changes. This must
  /// outlive the result, and not change meanwhile.
  EditedMembers fork() const;
  /// Adds the members of `others`, which override members of the same name, and the TIR of a fork.
  void take_all(EditedMembers others);
  bool empty() const { return edited_.empty(); }
  /// Returns the names of the changed members, in the order of the archive.
  std::vector<std::string> names() const;
  /// Returns the changed archive in memory, with the bytes that would be written. Throws `Error`.
  Deployment open() const;
  /// Writes the changed archive to `output` ("-": standard output), and regenerates mlf's own
  /// outputs in it, such as tir-N.json. Throws `Error`.
  archive::Lost write(const std::string& output) const;
  std::vector<archive::EditedMember> take() &&;

 private:
  /// Those of its base included.
  archive::Changes changes() const;
  std::optional<PlacedTir> take_kept(const std::string& name);

  const Deployment& deployment_;
  DeploymentOptions reading_;
  std::string_view directory_;
  const EditedMembers* base_ = nullptr;        // of a fork: members that it did not change
  std::map<std::string, std::string> edited_;  // content by name
  std::map<std::string, PlacedTir> kept_;      // by its name
  /// Names of TIR that was kept, by member.
  std::map<std::string, std::set<std::string>> kept_of_member_;
};

/// Throws `Error` (check_failed) if the TIR in `where` is not the expected one.
void require_equal(const tir::Module& expected, const tir::Module& after, std::string_view where);

/// The functions of a TIR, by the module of the archive that they belong to.
using FunctionsByModule = std::map<std::size_t, std::vector<tir::NamedFunction>>;
FunctionsByModule functions_by_module(const tir::Module& tir, const Deployment& deployment);

}  // namespace mlf::edit
