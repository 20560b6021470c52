#include "optimize/c_words.h"

#include <algorithm>
#include <array>

#include "support/characters.h"

namespace mlf::optimize {
namespace {

using support::is_word_character;

bool is_blank(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
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

/// The called function, if the text at `at` is the place of a name in an argument that has only
/// casts before the name; empty otherwise.
std::string_view called_around(std::string_view text, std::size_t at) {
  std::size_t closed = 0;      // closing brackets whose opening ones are still to come
  bool is_in_argument = true;  // not yet in an earlier argument
  while (at > 0) {
    const char c = text[--at];
    if (c == ',' && closed == 0) is_in_argument = false;
    const bool is_of_cast = is_word_character(c) || is_blank(c) || c == '*' || c == '(' || c == ')';
    if (is_in_argument && !is_of_cast) return {};
    if (c == ';' || c == '{' || c == '}' || c == '"') return {};
    if (c == ')') ++closed;
    if (c != '(') continue;
    if (closed > 0) {
      --closed;
      continue;
    }
    std::size_t end = at;
    while (end > 0 && is_blank(text[end - 1])) --end;
    std::size_t begin = end;
    while (begin > 0 && is_word_character(text[begin - 1])) --begin;
    if (begin < end) return text.substr(begin, end - begin);
  }
  return {};
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

std::size_t word_end(std::string_view text, std::size_t at) {
  while (at < text.size() && is_word_character(text[at])) ++at;
  return at;
}

/// The name of the tensor that the entry of packed calls declares for a pool and passes to main.
std::string tensor_of(const std::string& pool) {
  return pool + "_dltensor";
}
constexpr std::size_t kUsesOfTensor = 2;

}  // namespace

void for_each_word(std::string_view text,
                   const std::function<void(std::string_view, std::size_t)>& use) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = word_end(text, at);
    // A constant of C has more numbers than all other words.
    if (end > at && !support::is_digit(text[at])) use(text.substr(at, end - at), at);
    at = std::max(end, at + 1);
  }
}

void WordCounts::watch_pool(const std::string& pool) {
  pools_.try_emplace(pool);
  watch(tensor_of(pool));
}

void WordCounts::read(std::string_view text) {
  for_each_word(text, [&](std::string_view word, std::size_t begin) { take(text, word, begin); });
}

std::size_t WordCounts::of(std::string_view word) const {
  const auto found = counts_.find(word);
  return found == counts_.end() ? 0 : found->second;
}

bool WordCounts::is_pool_clear(const std::string& pool) const {
  const auto found = pools_.find(pool);
  return found != pools_.end() && !found->second.is_used && found->second.is_given &&
         of(tensor_of(pool)) <= kUsesOfTensor;
}

void WordCounts::take(std::string_view text, std::string_view word, std::size_t begin) {
  const auto count = counts_.find(word);
  if (count != counts_.end()) ++count->second;
  const auto pool = pools_.find(word);
  if (pool == pools_.end() || pool->second.is_used) return;
  const char next = behind(text, begin + word.size());
  const bool is_tag = text.substr(0, begin).ends_with("struct ") && next == '{';
  const bool is_defined = before(text, begin) == '}' && next == '=';
  if (is_tag || is_defined) return;
  pool->second.is_used = pool->second.is_given || !is_given(text, pool->first, begin, next);
  pool->second.is_given = true;
}

bool WordCounts::is_given(std::string_view text, const std::string& pool, std::size_t begin,
                          char next) const {
  if (before(text, begin) != '&') return false;
  // A packed entry makes a tensor from the pool.
  const std::string tensor = "DLTensor" + tensor_of(pool) + "={.data=&";
  if (next == '}') return end_without_blanks(text, begin, tensor.size()) == tensor;
  const std::size_t ampersand = text.rfind('&', begin);
  return (next == ',' || next == ')') && is_taker_(called_around(text, ampersand));
}

bool joins_words(std::string_view text) {
  for (const std::string_view join : {"##", "%:%:", "?\?="}) {
    if (text.find(join) != text.npos) return true;
  }
  std::size_t at = text.find('\\');
  for (; at != text.npos; at = text.find('\\', at + 1)) {
    const std::size_t newline = text.substr(at + 1).starts_with('\r') ? at + 2 : at + 1;
    const bool is_splice = text.substr(newline).starts_with('\n');
    if (is_splice && at > 0 && is_word_character(text[at - 1]) && newline + 1 < text.size() &&
        is_word_character(text[newline + 1])) {
      return true;
    }
  }
  return false;
}

std::string_view type_macro(std::string_view text) {
  constexpr std::array<std::string_view, 10> kTypes{"int8_t",  "uint8_t",  "int16_t", "uint16_t",
                                                    "int32_t", "uint32_t", "int64_t", "uint64_t",
                                                    "float",   "double"};
  constexpr std::string_view kDefine = "define";
  std::size_t at = text.find(kDefine);
  for (; at != text.npos; at = text.find(kDefine, at + 1)) {
    std::size_t begin = at + kDefine.size();
    while (begin < text.size() && is_blank(text[begin])) ++begin;
    std::size_t end = begin;
    while (end < text.size() && is_word_character(text[end])) ++end;
    const std::string_view word = text.substr(begin, end - begin);
    if (std::ranges::find(kTypes, word) != kTypes.end()) return word;
  }
  return {};
}

bool may_have_code(const archive::Member& member) {
  constexpr std::array<std::string_view, 10> kEnds{".c",   ".h",   ".cc",  ".hh", ".cpp",
                                                   ".hpp", ".cxx", ".inc", ".s",  ".S"};
  const auto is_end = [&](std::string_view end) { return member.name.ends_with(end); };
  return member.type == archive::MemberType::file &&
         (member.name.starts_with("codegen/host/include/") || std::ranges::any_of(kEnds, is_end));
}

}  // namespace mlf::optimize
