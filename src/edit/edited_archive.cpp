#include "edit/edited_archive.h"

#include <algorithm>
#include <tuple>

#include "process/regenerate.h"
#include "support/error.h"
#include "support/numbers.h"
#include "tir/compare/compare.h"

namespace mlf::edit {

tir::SourceRange whole_lines(std::string_view text, tir::SourceRange range) {
  std::size_t begin = range.begin;
  while (begin > 0 && (text[begin - 1] == ' ' || text[begin - 1] == '\t')) --begin;
  const std::size_t newline = text.find('\n', range.end);
  const std::string_view rest = text.substr(range.end, newline - range.end);
  const bool has_more =
      (begin > 0 && text[begin - 1] != '\n') || rest.find_first_not_of(" \t\r") != rest.npos;
  return has_more ? range : at(begin, newline == text.npos ? text.size() : newline + 1);
}

tir::SourceRange with_empty_line(std::string_view text, tir::SourceRange range) {
  return text.substr(range.end).starts_with('\n') ? at(range.begin, range.end + 1) : range;
}

std::string apply(std::string_view text, std::vector<Edit> edits) {
  // Callers go through a representation function by function, in its own order.
  std::ranges::stable_sort(edits, {}, [](const Edit& edit) { return edit.range.begin; });
  std::string result;
  result.reserve(text.size());
  std::size_t kept = 0;
  for (std::size_t i = 0; i < edits.size(); ++i) {
    const Edit& edit = edits[i];
    if (i > 0 && edits[i - 1].range == edit.range) {
      // Two sites may share one number, such as a node that save_json writes once.
      if (edits[i - 1].text == edit.text) continue;
      refuse("'" + std::string(text_in(text, edit.range)) +
             "' would need two new values: " + edits[i - 1].text + " and " + edit.text);
    }
    if (edit.range.begin < kept) refuse("two changes of one place");
    result += text.substr(kept, edit.range.begin - kept);
    result += edit.text;
    kept = edit.range.end;
  }
  result += text.substr(kept);
  return result;
}

void remove_elements(std::span<const tir::SourceRange> elements, const std::vector<bool>& removed,
                     std::vector<Edit>& edits) {
  bool is_first = true;  // whether no element remains before it
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const auto [begin, end] = elements[i];
    const bool is_last = i + 1 == elements.size();
    if (!removed[i]) {
      is_first = false;
    } else if (is_first) {
      edits.push_back({{begin, is_last ? end : elements[i + 1].begin}, {}});
    } else {
      edits.push_back({{elements[i - 1].end, end}, {}});
    }
  }
}

Edit number_edit(const support::SourceText& source, tir::SourceRange range,
                 const NumberChange& change, std::string_view what) {
  std::string_view rest = text_in(source.text, range);
  if (support::take_number<std::uint64_t>(rest) != change.before) {
    throw support::Error(
        ErrorKind::check_failed,
        std::string(what) + " is not " + std::to_string(change.before) + ", its value in the plan",
        source.locate(range.begin, range.end - range.begin));
  }
  return {at(range.begin, range.end - rest.size()), std::to_string(change.after)};
}

// All refusals have one kind of error: the archive is unchanged, and the exit code is 1.
void refuse(std::string message, std::string_view where) {
  Location place;
  place.member = std::string(where);
  throw support::Error(ErrorKind::check_failed, std::move(message), place);
}

namespace {

PlacedTir with_loads(PlacedTir tir) {
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> known;
  for (const auto& [id, place] : tir.places.loads) {
    if (!known.emplace(place.file, place.range.begin, place.range.end).second) continue;
    const tir::Node load = tir.document.module.node(id);
    tir.loads[load[tir::f::BufferLoad::buffer][tir::f::Buffer::data].id()].push_back(place);
  }
  return tir;
}

}  // namespace

std::string_view EditedMembers::text_of(const archive::Member& member) const {
  const auto found = edited_.find(member.name);
  if (found != edited_.end()) return found->second;
  if (base_ != nullptr) return base_->text_of(member);
  return support::get_or_throw(archive().read(member));
}

void EditedMembers::replace(archive::EditedMember member) {
  if (const auto kept = kept_of_member_.extract(member.name)) {
    for (const std::string& name : kept.mapped()) kept_.erase(name);
  }
  edited_.insert_or_assign(std::move(member.name), std::move(member.content));
}

void EditedMembers::edit(FileEdits edits) {
  for (auto& [member, of_member] : edits) {
    const std::string_view text = text_of(*member);
    std::string content = apply(text, std::move(of_member));
    if (content != text) replace({member->name, std::move(content)});
  }
}

std::optional<PlacedTir> EditedMembers::take_kept(const std::string& name) {
  const auto found = kept_.find(name);
  if (found == kept_.end()) return std::nullopt;
  return std::move(kept_.extract(found).mapped());
}

PlacedTir EditedMembers::take_tir(const archive::Member& member) {
  if (auto kept = take_kept(member.name)) return std::move(*kept);
  tir::Places places;
  const tir::Input input{
      .file = archive().path(), .member = member.name, .text = text_of(member), .sha256 = [] {
        return std::string();
      }};
  tir::Document document = tir::read_with_places(input, reading_.tir_limits, places);
  return with_loads({std::move(document), std::move(places), {&member}});
}

PlacedTir EditedMembers::take_tir(const TirSource& c) {
  if (auto kept = take_kept(c.name)) return std::move(*kept);
  tir::Places places;
  tir::CSources sources = *c.c;
  for (std::size_t i = 0; i < sources.files.size(); ++i) {
    sources.files[i].text = text_of(*c.c_members[i]);
    sources.files[i].sha256 = {};
  }
  tir::Document document = tir::read_c_with_places(sources, reading_.tir_limits, places);
  return with_loads({std::move(document), std::move(places), c.c_members, &c});
}

void EditedMembers::keep_tir(PlacedTir tir) {
  const std::string name = tir.name();
  for (const archive::Member* const file : tir.files) kept_of_member_[file->name].insert(name);
  kept_.insert_or_assign(name, std::move(tir));
}

EditedMembers EditedMembers::fork() const {
  EditedMembers other(deployment_, reading_);
  other.base_ = this;
  return other;
}

void EditedMembers::take_all(EditedMembers others) {
  for (auto& [name, content] : others.edited_) replace({name, std::move(content)});
  if (others.base_ != this) return;
  for (auto& [name, kept] : others.kept_) keep_tir(std::move(kept));
}

std::vector<const archive::Member*> EditedMembers::captured() const {
  std::vector<const archive::Member*> captured;
  for (const archive::Member& member : archive().members()) {
    const bool is_file = member.type == archive::MemberType::file;
    if (is_file && deployment::parse_tir_member(directory_, member.name))
      captured.push_back(&member);
  }
  return captured;
}

archive::Changes EditedMembers::changes() const {
  archive::Changes changes;
  if (base_ != nullptr) changes = base_->changes();
  std::erase_if(changes.edit, [&](const auto& one) { return edited_.contains(one.name); });
  for (const auto& [name, content] : edited_) changes.edit.push_back({name, content});
  return changes;
}

std::vector<archive::EditedMember> EditedMembers::take() && {
  std::vector<archive::EditedMember> taken;
  for (auto& [name, content] : edited_) taken.push_back({name, std::move(content)});
  edited_.clear();
  return taken;
}

std::vector<std::string> EditedMembers::names() const {
  std::vector<std::string> names;
  for (const archive::Member& member : archive().members()) {
    if (edited_.contains(member.name)) names.push_back(member.name);
  }
  return names;
}

archive::Lost EditedMembers::write(const std::string& output) const {
  if (edited_.empty()) return archive::write_to_path(archive(), {}, output);
  return process::write_regenerated(archive(), changes(), output, reading_);
}

Deployment EditedMembers::open() const {
  return support::get_or_throw(
      Deployment::open(archive::changed(archive(), changes(), reading_.archive_limits), reading_));
}

void require_equal(const tir::Module& expected, const tir::Module& after, std::string_view where) {
  const tir::Comparison comparison = tir::compare(expected, after);
  if (comparison.equal()) return;
  refuse("something else would change: " + tir::to_string(comparison.differences.front()), where);
}

FunctionsByModule functions_by_module(const tir::Module& tir, const Deployment& deployment) {
  FunctionsByModule functions;
  for (const tir::NamedFunction& one : tir::prim_functions_of(tir)) {
    const auto module = deployment.module_of_function(one.symbol);
    if (module) functions[*module].push_back(one);
  }
  return functions;
}

}  // namespace mlf::edit
