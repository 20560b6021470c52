// Characters of ASCII and UTF-8, and those that a terminal interprets instead of displaying them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "mlf/export.h"

namespace mlf::support {

// Of ASCII alone, whatever the locale of the process.
constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
constexpr bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
/// What names of C and Python consist of.
constexpr bool is_word_character(char c) {
  return is_letter(c) || is_digit(c) || c == '_';
}
/// Whether `text` is nothing but digits, one at least.
constexpr bool is_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_digit);
}

/// Returns the first place of `word` in `text` from `from` on, if no word character is next to it;
/// npos if there is none.
std::size_t find_word(std::string_view text, std::string_view word, std::size_t from = 0);

/// Whether C may define a name as a macro: by convention, the names of macros have no small
/// letters.
constexpr bool may_be_macro(std::string_view name) {
  for (const char c : name) {
    if (c >= 'a' && c <= 'z') return false;
  }
  return true;
}

/// Returns `name` with `_` for each character that is no letter or digit, as TVM makes names of C.
std::string sanitized(std::string_view name);

/// Returns a name without the `_N` that makes it unique; the name itself if it has none.
std::string_view without_number(std::string_view name);

/// Returns `text` without the blanks and tabs at both ends.
std::string_view trimmed(std::string_view text);

/// Returns the words that a POSIX shell makes of `text` with quotes and backslashes.
MLF_API std::vector<std::string> words_of(std::string_view text);

/// The result of `take_character` for bytes that are not UTF-8: malformed, overlong, surrogates.
inline constexpr char32_t kNotUtf8 = 0xffffffff;

/// Removes one character from the front of `text`, which must not be empty, or one byte that begins
/// no character.
char32_t take_character(std::string_view& text);

/// C0, DEL and C1.
bool is_control(char32_t c);

/// Returns whether a character reorders displayed text (Unicode UAX #9).
bool is_bidi_control(char32_t c);

/// Returns whether `text` is UTF-8 without control characters and bidi controls, as names of
/// members must be.
bool is_plain(std::string_view text);

/// Returns whether programs interpret or reject a character instead of displaying it: controls,
/// characters that reorder text, line separators, and the noncharacters U+FFFE and U+FFFF, which
/// XML 1.0, and so SVG, cannot contain.
bool is_unsafe_to_show(char32_t c);

/// Returns `text` with its ASCII letters as capitals, in any locale.
MLF_API std::string in_capitals(std::string_view text);

}  // namespace mlf::support
