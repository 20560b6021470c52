#include "replan/words.h"

#include <algorithm>
#include <charconv>

namespace mlf::replan {
namespace {

/// Dots and `@` belong to names of operators, `T.address_of` and `@tir.address_of`. A byte beyond
/// ASCII is part of whatever name it is in.
bool is_word_char(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         c == '.' || c == '@' || byte >= 0x80;
}

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

/// Past the string that begins at `at`, or to the end where nothing closes it.
/// A number in a string or a comment is none of the plan.
std::size_t string_end(std::string_view text, std::size_t at) {
  for (std::size_t i = at + 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == text[at]) {
      return i + 1;
    }
  }
  return text.size();
}

/// Past the comment that begins at `at`; `at` itself where none does.
std::size_t comment_end(std::string_view text, std::size_t at, Comments comments) {
  const auto line_end = [&] { return std::min(text.find('\n', at), text.size()); };
  if (comments == Comments::python) return text[at] == '#' ? line_end() : at;
  const std::string_view two = text.substr(at, 2);
  if (two == "//") return line_end();
  if (two != "/*") return at;
  const std::size_t end = text.find("*/", at + 2);
  return end == std::string_view::npos ? text.size() : end + 2;
}

}  // namespace

/// Names and numbers are words, and so is every other character by itself: this is enough to know
/// forms by what is around a number, in C as in Python.
std::vector<Word> words_of(std::string_view text, tir::SourceRange range, Comments comments) {
  const std::string_view part = text.substr(0, std::min<std::size_t>(range.end, text.size()));
  std::vector<Word> words;
  std::size_t at = range.begin;
  while (at < part.size()) {
    const char c = part[at];
    if (is_space(c)) {
      ++at;
      continue;
    }
    if (const std::size_t end = comment_end(part, at, comments); end != at) {
      at = end;
      continue;
    }
    std::size_t end = at + 1;
    if (c == '"' || c == '\'') {
      end = string_end(part, at);
    } else if (is_word_char(c)) {
      while (end < part.size() && is_word_char(part[end])) ++end;
    }
    words.push_back({part.substr(at, end - at), at});
    at = end;
  }
  return words;
}

std::vector<Word> words_of(std::string_view text, Comments comments) {
  return words_of(text, {0, static_cast<std::uint32_t>(text.size())}, comments);
}

// A whole number in decimal: TVM writes sizes and offsets in no other way.
std::optional<std::uint64_t> number_of(const Word& word) {
  std::uint64_t value = 0;
  const char* const end = word.text.data() + word.text.size();
  const auto [last, error] = std::from_chars(word.text.data(), end, value);
  if (error != std::errc() || last != end) return std::nullopt;
  return value;
}

/// An empty word of the pattern is any word.
bool matches(const std::vector<Word>& words, std::size_t at,
             std::initializer_list<std::string_view> pattern) {
  if (at > words.size() || words.size() - at < pattern.size()) return false;
  return std::equal(pattern.begin(), pattern.end(), words.begin() + static_cast<std::ptrdiff_t>(at),
                    [](std::string_view wanted, const Word& word) {
                      return wanted.empty() || wanted == word.text;
                    });
}

}  // namespace mlf::replan
