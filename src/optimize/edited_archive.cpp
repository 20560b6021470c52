#include "optimize/edited_archive.h"

#include <unistd.h>

#include <algorithm>

#include "process/regenerate.h"
#include "support/error.h"
#include "support/file.h"

namespace mlf::optimize {

std::string_view EditedMembers::text_of(const archive::Member& member) const {
  for (const archive::EditedMember& one : edited_) {
    if (one.name == member.name) return one.content;
  }
  return support::get_or_throw(archive_.read(member));
}

void EditedMembers::replace(archive::EditedMember member) {
  std::erase_if(kept_, [&](const auto& kept) {
    return std::ranges::find(kept.second.members, member.name) != kept.second.members.end();
  });
  for (archive::EditedMember& one : edited_) {
    if (one.name != member.name) continue;
    one.content = std::move(member.content);
    return;
  }
  edited_.push_back(std::move(member));
}

tir::CSources EditedMembers::files_of(const TirSource& c) const {
  tir::CSources sources = *c.c;
  for (std::size_t i = 0; i < sources.files.size(); ++i) {
    sources.files[i].text = text_of(*c.c_members[i]);
    sources.files[i].sha256 = {};
  }
  return sources;
}

std::optional<PlacedTir> EditedMembers::take_kept(const std::string& name) {
  const auto found = kept_.find(name);
  if (found == kept_.end()) return std::nullopt;
  return std::move(kept_.extract(found).mapped().tir);
}

PlacedTir EditedMembers::take_tir(const archive::Member& member, const tir::ReadLimits& limits) {
  if (auto kept = take_kept(member.name)) return std::move(*kept);
  tir::Places places;
  tir::Document document = support::get_or_throw(tir::read_with_places(
      {.file = archive_.path(), .member = member.name, .text = text_of(member)}, limits, places));
  return {std::move(document), std::move(places)};
}

PlacedTir EditedMembers::take_tir(const TirSource& c, const tir::ReadLimits& limits) {
  if (auto kept = take_kept(c.name)) return std::move(*kept);
  tir::Places places;
  tir::Document document =
      support::get_or_throw(tir::read_c_with_places(files_of(c), limits, places));
  return {std::move(document), std::move(places)};
}

void EditedMembers::keep_tir(const archive::Member& member, PlacedTir tir) {
  kept_.insert_or_assign(member.name, KeptTir{{member.name}, std::move(tir)});
}

void EditedMembers::keep_tir(const TirSource& c, PlacedTir tir) {
  std::vector<std::string> members;
  for (const archive::Member* const member : c.c_members) members.push_back(member->name);
  kept_.insert_or_assign(c.name, KeptTir{std::move(members), std::move(tir)});
}

EditedMembers EditedMembers::fork() const {
  EditedMembers other(archive_);
  other.edited_ = edited_;
  return other;
}

void EditedMembers::take_all(EditedMembers others) {
  for (archive::EditedMember& one : others.edited_) replace(std::move(one));
  for (auto& [name, kept] : others.kept_) kept_.insert_or_assign(name, std::move(kept));
}

std::optional<deployment::TirForm> EditedMembers::captured_form(
    const archive::Member& member) const {
  const auto name = deployment::parse_tir_member(directory_, member.name);
  if (!name || member.type != archive::MemberType::file) return std::nullopt;
  return name->form;
}

std::vector<std::string> EditedMembers::names() const {
  std::vector<std::string> names;
  for (const archive::Member& member : archive_.members()) {
    const auto is_it = [&](const archive::EditedMember& one) { return one.name == member.name; };
    if (std::ranges::any_of(edited_, is_it)) names.push_back(member.name);
  }
  return names;
}

archive::Lost EditedMembers::write(const std::string& output,
                                   const DeploymentOptions& options) const {
  archive::Lost lost;
  const auto write = [&](const archive::Changes& changes) {
    if (output != "-") {
      lost = archive::write_to_path(archive_, changes, output);
      return;
    }
    archive::write_to(archive_, changes,
                      support::File::duplicate(STDOUT_FILENO, std::string("standard output")));
  };
  if (edited_.empty()) {
    write({});
    return lost;
  }
  process::regenerate(open(options), [&](archive::Changes made) {
    made.edit = edited_;
    write(made);
  });
  return lost;
}

Deployment EditedMembers::open(const DeploymentOptions& options) const {
  const support::File file = support::File::anonymous();
  archive::write_to(archive_, {.remove = {}, .add = {}, .edit = edited_}, file);
  const auto mapped = support::FileContent::map(file);
  return support::get_or_throw(
      Deployment::open(support::get_or_throw(archive::Archive::from_bytes(
                           mapped.bytes(), archive_.path(), options.archive_limits)),
                       options));
}

}  // namespace mlf::optimize
