#include "optimize/other_code.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "support/c_files.h"
#include "support/characters.h"
#include "support/lookup.h"
#include "tir/c/c.h"
#include "tir/c/read/tokens.h"

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

OtherCode::OtherCode(const edit::EditedMembers& edited) {
  const Deployment& deployment = edited.deployment();
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

namespace {

using support::is_word_character;

bool is_blank(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/// The last character before `at` that is not blank.
char before(std::string_view text, std::size_t at) {
  while (at > 0 && is_blank(text[at - 1])) --at;
  return at == 0 ? '\0' : text[at - 1];
}

/// The first character from `at` on that is not blank.
char behind(std::string_view text, std::size_t at) {
  while (at < text.size() && is_blank(text[at])) ++at;
  return at == text.size() ? '\0' : text[at];
}

/// The last `length` characters of `text` before `end`, without blanks.
std::string end_without_blanks(std::string_view text, std::size_t end, std::size_t length) {
  std::string result;
  while (end > 0 && result.size() < length) {
    if (!is_blank(text[--end])) result += text[end];
  }
  std::ranges::reverse(result);
  return result;
}

/// A place in the arguments of a call.
struct CallArgument {
  std::string_view function;
  std::size_t index = 0;
};

/// The argument that the name at `at` is, with only casts before the name; nullopt if it is none.
std::optional<CallArgument> argument_at(std::string_view text, std::size_t at) {
  std::size_t closed = 0;  // closing brackets whose opening ones are still to come
  std::size_t index = 0;
  while (at > 0) {
    const char c = text[--at];
    const bool is_of_cast = is_word_character(c) || is_blank(c) || c == '*' || c == '(' || c == ')';
    if (c == ',' && closed == 0) {
      ++index;
    } else if (index == 0 && !is_of_cast) {
      return std::nullopt;
    }
    if (c == ';' || c == '{' || c == '}' || c == '"') return std::nullopt;
    if (c == ')') ++closed;
    if (c != '(') continue;
    if (closed > 0) {
      --closed;
      continue;
    }
    std::size_t end = at;
    while (end > 0 && is_blank(text[end - 1])) --end;
    const std::string_view function = tir::c::word_before(text, end);
    if (!function.empty()) return CallArgument{function, index};
  }
  return std::nullopt;
}

/// Finds uses of a pool in the texts of a module, one after the other.
class PoolSearch {
 public:
  PoolSearch(std::string_view pool, const TakesPool& takes) : pool_(pool), takes_(takes) {}

  /// The first place in `text` that TVM does not write; nullopt if there is none.
  std::optional<std::size_t> other_use(std::string_view text) {
    for (std::size_t at = text.find(pool_); at != text.npos; at = text.find(pool_, at + 1)) {
      if (at > 0 && is_word_character(text[at - 1])) continue;
      const std::size_t end = at + pool_.size();
      const std::string_view rest = tir::c::word_at(text, end);
      const bool is_known = rest.empty() ? is_definition(text, at, end) || is_gift(text, at, end)
                                         : is_of_tensor(rest);
      if (!is_known) return at;
    }
    return std::nullopt;
  }

  bool is_given() const { return is_given_; }

 private:
  /// The struct or array of a pool, or the field of a pool of the application.
  static bool is_definition(std::string_view text, std::size_t begin, std::size_t end) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kForms{
        {{"static const struct ", " {"},
         {"static struct ", " {"},
         {"} ", " = {"},
         {"static uint8_t ", "["},
         {"void* ", ";"}}};
    return std::ranges::any_of(kForms, [&](const auto& form) {
      return text.substr(0, begin).ends_with(form.first) &&
             text.substr(end).starts_with(form.second);
    });
  }

  /// Whether the pool is an argument of a function that takes it, or the data of the tensor that
  /// the entry of packed calls makes of it. Only one place can be.
  bool is_gift(std::string_view text, std::size_t begin, std::size_t end) {
    if (is_given_) return false;
    constexpr std::string_view kFields = "workspace_pools->";
    if (text.substr(0, begin).ends_with(kFields)) begin -= kFields.size();
    if (before(text, begin) == '&') begin = text.substr(0, begin).rfind('&');
    if (text.substr(end).starts_with("[0]")) end += 3;
    const char next = behind(text, end);
    if (next == '}') {
      const std::string tensor = fmt::format("DLTensor{}_dltensor={{.data=", pool_);
      return is_given_ = end_without_blanks(text, begin, tensor.size()) == tensor;
    }
    const char last = before(text, begin);
    if ((next != ',' && next != ')') || (last != '(' && last != ',' && last != ')')) return false;
    const auto argument = argument_at(text, begin);
    // Its prototype and this call: another call may pass other memory.
    return is_given_ = argument && takes_(argument->function, argument->index) &&
                       tir::c::count_of_word(text, argument->function) <= 2;
  }

  /// The entry of packed calls declares a tensor and a value, and uses each once.
  bool is_of_tensor(std::string_view rest) {
    if (rest == "_dltensor") return ++tensors_ <= 2;
    return rest != "_tvm_value" || ++values_ <= 2;
  }

  std::string_view pool_;
  const TakesPool& takes_;
  bool is_given_ = false;
  std::size_t tensors_ = 0;
  std::size_t values_ = 0;
};

constexpr std::string_view kSection = "section(\"";

std::set<std::string> sections_in(std::string_view text) {
  std::set<std::string> sections;
  for (std::size_t at = text.find(kSection); at != text.npos; at = text.find(kSection, at + 1)) {
    const std::size_t begin = at + kSection.size();
    const std::size_t end = text.find('"', begin);
    if (end != text.npos && end > begin) sections.emplace(text.substr(begin, end - begin));
  }
  return sections;
}

/// The first place of `name` in `text` that is not behind `prefix` and blanks.
std::size_t find_other(std::string_view text, std::string_view name, std::string_view prefix) {
  std::size_t at = support::find_word(text, name);
  while (at != text.npos && end_without_blanks(text, at, prefix.size()) == prefix) {
    at = support::find_word(text, name, at + 1);
  }
  return at;
}

}  // namespace

ModuleCode::ModuleCode(std::size_t module, const OtherCode& others,
                       const edit::EditedMembers& edited)
    : others_(others) {
  const ModuleFiles& files = edited.deployment().library().modules[module].files;
  for (const auto& list : {files.sources, files.headers}) {
    for (const FileRef& file : list) {
      const Member* const member = edited.archive().find(file.name);
      if (member == nullptr || !members_.insert(member).second) continue;
      texts_.push_back({member->name, code_of(*member, edited.text_of(*member))});
    }
  }
}

PoolNames ModuleCode::names_of_pool(std::string_view pool, const TakesPool& takes) const {
  PoolNames names;
  PoolSearch search(pool, takes);
  for (const auto& [member, text] : texts_) {
    const auto at = search.other_use(text);
    if (at && names.other_use.empty()) names.other_use = place_in(text, *at, member);
  }
  names.is_given = search.is_given();
  if (names.other_use.empty()) names.other_use = others_.place_of(pool, members_);
  return names;
}

std::string ModuleCode::use_of_macro(std::string_view macro) const {
  for (const auto& [member, text] : texts_) {
    const std::size_t at = find_other(text, macro, "#define");
    if (at != text.npos) return place_in(text, at, member);
  }
  return others_.place_of(macro, members_);
}

std::string ModuleCode::use_of_sections() const {
  std::set<std::string> sections;
  for (const Text& one : texts_) sections.merge(sections_in(one.text));
  for (const std::string& section : sections) {
    for (const auto& [member, text] : texts_) {
      for (const std::string& name : {section, "__start_" + section, "__stop_" + section}) {
        const std::size_t at = find_other(text, name, kSection);
        if (at != text.npos) return place_in(text, at, member);
      }
    }
    std::string place = others_.use_of_section(section, members_);
    if (!place.empty()) return place;
  }
  return {};
}

std::string ModuleCode::joined(const std::set<std::string, std::less<>>& names) const {
  for (const auto& [member, text] : texts_) {
    if (tir::c::joins_words(text) || tir::c::joins_literals(text, names))
      return std::string(member);
  }
  return others_.joining();
}

}  // namespace mlf::optimize
