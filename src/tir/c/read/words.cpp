#include "tir/c/c.h"

#include <algorithm>

#include "support/characters.h"
#include "tir/c/language.h"

namespace mlf::tir::c {
namespace {

using support::is_word_character;

constexpr std::string_view kDefineWord = "define";
constexpr std::string_view kBlanks = " \t\r\f\v";

/// The end of the line, or of the lines that backslashes join.
std::size_t line_end(std::string_view text, std::size_t at) {
  std::size_t end = text.find('\n', at);
  while (end != text.npos) {
    const std::size_t last = text.substr(0, end).find_last_not_of(kBlanks);
    if (last == text.npos || text[last] != '\\') return end;
    end = text.find('\n', end + 1);
  }
  return text.size();
}

}  // namespace

std::string_view word_at(std::string_view text, std::size_t begin) {
  std::size_t end = begin;
  while (end < text.size() && is_word_character(text[end])) ++end;
  return text.substr(begin, end - begin);
}

std::string_view word_before(std::string_view text, std::size_t end) {
  std::size_t begin = end;
  while (begin > 0 && is_word_character(text[begin - 1])) --begin;
  return text.substr(begin, end - begin);
}

void for_each_word(std::string_view text,
                   const std::function<void(std::string_view, std::size_t)>& use) {
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view word = word_at(text, at);
    // A constant of C has more numbers than all other words.
    if (!word.empty() && !support::is_digit(text[at])) use(word, at);
    at += std::max<std::size_t>(word.size(), 1);
  }
}

void count_words(std::string_view text, WordCounts& counts) {
  for_each_word(text, [&](std::string_view word, std::size_t) {
    const auto count = counts.find(word);
    if (count != counts.end()) ++count->second;
  });
}

std::size_t count_of_word(std::string_view text, std::string_view word) {
  std::size_t count = 0;
  std::size_t at = support::find_word(text, word);
  for (; at != text.npos; at = support::find_word(text, word, at + 1)) ++count;
  return count;
}

// GCC also joins lines if blanks are between the backslash and the end of the line.
bool joins_words(std::string_view text) {
  // Pastes, and the other spellings of `#` and of the backslash.
  for (const std::string_view part : {"##", "%:%:", "\?\?=", "\?\?/"}) {
    if (text.find(part) != text.npos) return true;
  }
  std::size_t at = text.find(kDefineWord);
  for (; at != text.npos; at = text.find(kDefineWord, at + 1)) {
    const std::string_view macro = text.substr(at, line_end(text, at) - at);
    if (macro.find('#') != text.npos || macro.find("%:") != text.npos) return true;
  }
  at = text.find('\\');
  for (; at != text.npos; at = text.find('\\', at + 1)) {
    const std::size_t newline = text.find_first_not_of(kBlanks, at + 1);
    const bool is_splice = newline != text.npos && text[newline] == '\n';
    if (is_splice && at > 0 && is_word_character(text[at - 1]) && newline + 1 < text.size() &&
        is_word_character(text[newline + 1])) {
      return true;
    }
  }
  return false;
}

bool joins_literals(std::string_view text, const std::set<std::string, std::less<>>& names) {
  std::size_t quote = text.find('"');
  for (; quote != text.npos; quote = text.find('"', quote + 1)) {
    const std::string_view word = word_before(text, quote);
    const auto name = names.upper_bound(word);
    if (word.empty() || name == names.end() || !name->starts_with(word)) continue;
    const std::size_t next = std::min(text.find_first_not_of(" \t\r\n\\", quote + 1), text.size());
    const bool has_more =
        next < text.size() &&
        (text[next] == '"' || (is_word_character(text[next]) && next < line_end(text, quote)));
    const std::size_t line = text.substr(0, quote).rfind('\n') + 1;
    if (has_more || text.substr(line, quote - line).find(kDefineWord) != text.npos) return true;
  }
  return false;
}

std::string_view type_macro(std::string_view text) {
  std::size_t at = text.find(kDefineWord);
  for (; at != text.npos; at = text.find(kDefineWord, at + 1)) {
    const std::size_t begin =
        std::min(text.find_first_not_of(" \t\r\n", at + kDefineWord.size()), text.size());
    const std::string_view word = word_at(text, begin);
    if (scalar_type(word)) return word;
  }
  return {};
}

}  // namespace mlf::tir::c
