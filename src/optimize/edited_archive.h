// An archive with changes made to it, in memory.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "archive/rewrite.h"
#include "deployment/tir_name.h"
#include "mlf/archive.h"
#include "mlf/deployment.h"
#include "tir/c/c.h"

namespace mlf::optimize {

/// Members as they are by now.
class EditedMembers {
 public:
  /// The archive must outlive this.
  explicit EditedMembers(const archive::Archive& archive)
      : archive_(archive), directory_(deployment::source_directory(archive)) {}

  /// Throws `Error` where the member cannot be read. The view ends with the next `replace`.
  std::string_view text_of(const archive::Member& member) const;
  void replace(archive::EditedMember member);
  /// The files of generated C with their present texts, of which no digest is known.
  tir::CSources files_of(const TirSource& c) const;

  /// The form of captured TIR; nothing for another member.
  std::optional<deployment::TirForm> captured_form(const archive::Member& member) const;

  /// Those of `others` as well, which count where both have a member.
  void take_all(EditedMembers others) {
    for (archive::EditedMember& one : others.edited_) replace(std::move(one));
  }
  bool empty() const { return edited_.empty(); }
  /// Names of these members, in the order of the archive.
  std::vector<std::string> names() const;
  const std::vector<archive::EditedMember>& all() const { return edited_; }
  /// The archive with these members, in memory: what is read is what would be written, byte for
  /// byte. Throws `Error`.
  Deployment open(const DeploymentOptions& options) const;
  /// Writes the archive with these members to `output` ("-": standard output). What mlf itself
  /// wrote into it, such as tir-N.json, is made anew. Throws `Error`.
  archive::Lost write(const std::string& output, const DeploymentOptions& options) const;
  std::vector<archive::EditedMember> take() && { return std::move(edited_); }

 private:
  const archive::Archive& archive_;
  std::string_view directory_;
  std::vector<archive::EditedMember> edited_;
};

}  // namespace mlf::optimize
