#include "optimize/edited_archive.h"

#include "support/error.h"
#include "support/file.h"

namespace mlf::optimize {

std::string_view EditedMembers::text_of(const archive::Member& member) const {
  for (const archive::EditedMember& one : edited_) {
    if (one.name == member.name) return one.content;
  }
  return support::get_or_throw(archive_.read(member));
}

void EditedMembers::replace(const archive::Member& member, std::string content) {
  for (archive::EditedMember& one : edited_) {
    if (one.name != member.name) continue;
    one.content = std::move(content);
    return;
  }
  edited_.push_back({member.name, std::move(content)});
}

tir::CSources EditedMembers::files_of(const TirSource& c) const {
  tir::CSources sources = *c.c;
  for (std::size_t i = 0; i < sources.files.size(); ++i) {
    sources.files[i].text = text_of(*c.c_members[i]);
    sources.files[i].sha256 = {};
  }
  return sources;
}

std::optional<deployment::TirForm> EditedMembers::captured_form(
    const archive::Member& member) const {
  const auto name = deployment::parse_tir_member(folder_, member.name);
  if (!name || member.type != archive::MemberType::file) return std::nullopt;
  return name->form;
}

archive::Archive edited_archive(const archive::Archive& archive, const archive::Changes& changes,
                                const archive::Limits& limits) {
  // Through a file in memory: what is read is then what would be written, byte for byte.
  const support::File file = support::File::anonymous();
  archive::write_to(archive, changes, file);
  const support::MappedFile mapped(file);
  return support::get_or_throw(
      archive::Archive::from_bytes(mapped.bytes(), archive.path(), limits));
}

}  // namespace mlf::optimize
