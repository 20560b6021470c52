// Characters of UTF-8, and those that a terminal interprets instead of displaying them.
#pragma once

#include <string_view>

namespace mlf::support {

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

}  // namespace mlf::support
