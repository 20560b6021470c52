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
      : archive_(archive), folder_(deployment::source_folder(archive)) {}

  /// Throws `Error` where the member cannot be read. The view ends with the next `replace`.
  std::string_view text_of(const archive::Member& member) const;
  void replace(const archive::Member& member, std::string content);
  /// The files of generated C with their present texts, of which no digest is known.
  tir::CSources files_of(const TirSource& c) const;

  /// The form of captured TIR; nothing for another member.
  std::optional<deployment::TirForm> captured_form(const archive::Member& member) const;

  const std::vector<archive::EditedMember>& all() const { return edited_; }
  std::vector<archive::EditedMember> take() && { return std::move(edited_); }

 private:
  const archive::Archive& archive_;
  std::string_view folder_;
  std::vector<archive::EditedMember> edited_;
};

/// Outputs of `mlf process` are made of it. Throws `Error`.
archive::Archive edited_archive(const archive::Archive& archive, const archive::Changes& changes,
                                const archive::Limits& limits);

}  // namespace mlf::optimize
