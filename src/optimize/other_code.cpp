#include "optimize/other_code.h"

#include <fmt/core.h>

#include <algorithm>

#include "support/c_files.h"
#include "support/characters.h"
#include "support/lookup.h"
#include "tir/c/read/tokens.h"
#include "tir/c/read/words.h"

namespace mlf::optimize {
namespace {

using archive::Member;

/// Whether the name of a section at [begin, end) is in a linker script that places it and defines
/// no symbol or condition around it.
bool is_placement(std::string_view text, std::size_t begin, std::size_t end) {
  const std::size_t open = text.substr(0, begin).rfind('{');
  const std::size_t close = text.find('}', end);
  if (open == text.npos || close == text.npos) return false;
  const std::size_t before = open == 0 ? text.npos : text.find_last_of("{}", open - 1);
  const std::size_t from = before == text.npos ? 0 : before;
  const std::string_view around =
      text.substr(from, std::min(text.find_first_of("{}", close + 1), text.size()) - from);
  return around.find('=') == text.npos && around.find("SIZEOF") == text.npos &&
         text.substr(0, begin).rfind("*") != text.npos;
}

}  // namespace

bool may_have_code(const Member& member) {
  const bool is_data =
      support::ends_with_any(member.name, {".json", ".relay", ".params", ".graph", ".npy", ".md"});
  const bool is_tir = member.name.starts_with("src/") && member.name.ends_with(".txt");
  return member.type == archive::MemberType::file && !is_tir && !is_data;
}

std::string code_of(const Member& member, std::string_view text) {
  const bool is_c = support::is_c_source(member.name) || support::is_c_header(member.name) ||
                    member.name.ends_with(".ino");
  return is_c && text.size() < UINT32_MAX ? tir::c::without_comments(text) : std::string(text);
}

OtherCode::OtherCode(const Deployment& deployment, const edit::EditedMembers& edited) {
  std::set<std::string_view> sources;
  for (const Module& module : deployment.library().modules) {
    for (const FileRef& file : module.files.sources) sources.insert(file.name);
    for (const FileRef& file : module.files.objects) sources.insert(file.name);
  }
  for (const Member& member : deployment.archive().members()) {
    if (!may_have_code(member) || sources.contains(member.name)) continue;
    const std::string& text =
        codes_.emplace(&member, code_of(member, edited.text_of(member))).first->second;
    tir::c::for_each_word(text, [&](std::string_view word, std::size_t) {
      std::vector<const Member*>& members = words_[word];
      if (members.empty() || members.back() != &member) members.push_back(&member);
    });
    const std::string_view type = tir::c::type_macro(text);
    if (!type.empty()) type_macros_.emplace_back(&member, type);
    // TVM's own runtime joins words of its own.
    const bool is_runtime = member.name.starts_with("runtime/");
    if (joining_.empty() && !is_runtime && tir::c::joins_words(text)) joining_ = member.name;
  }
}

std::span<const Member* const> OtherCode::members_with(std::string_view word) const {
  const auto* const members = support::find_value(words_, word);
  return members == nullptr ? std::span<const Member* const>() : *members;
}

std::string OtherCode::place_of(std::string_view word, const Members& except) const {
  for (const Member* const member : members_with(word)) {
    if (except.contains(member)) continue;
    const std::string& text = codes_.at(member);
    return place_in(text, support::find_word(text, word), member->name);
  }
  return {};
}

std::string OtherCode::use_of_section(const std::string& section, const Members& except) const {
  for (const std::string_view bound : {"__start_", "__stop_"}) {
    std::string place = place_of(std::string(bound) + section, except);
    if (!place.empty()) return place;
  }
  std::string_view word;
  tir::c::for_each_word(section, [&](std::string_view part, std::size_t) { word = part; });
  for (const Member* const member : members_with(word)) {
    if (except.contains(member)) continue;
    const std::string_view text = codes_.at(member);
    std::size_t at = support::find_word(text, section);
    for (; at != text.npos; at = support::find_word(text, section, at + 1)) {
      if (is_placement(text, at, at + section.size())) continue;
      return place_in(text, at, member->name);
    }
  }
  return {};
}

std::string_view OtherCode::type_macro(const Members& except) const {
  const auto found = std::ranges::find_if(
      type_macros_, [&](const auto& one) { return !except.contains(one.first); });
  return found == type_macros_.end() ? std::string_view() : found->second;
}

std::string place_in(std::string_view text, std::size_t at, std::string_view member) {
  const auto line = 1 + std::ranges::count(text.substr(0, at), '\n');
  return fmt::format("line {} of {}", line, member);
}

}  // namespace mlf::optimize
