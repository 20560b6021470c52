// Characters of UTF-8, and which of them a terminal obeys instead of showing them.
#pragma once

#include <string_view>

namespace mlf::support {

/// What `take_character` gives for bytes that are not UTF-8: malformed, overlong, surrogates.
inline constexpr char32_t kNotUtf8 = 0xffffffff;

/// Takes one character off `text`, which is not empty, or one byte that begins none.
char32_t take_character(std::string_view& text);

/// C0, DEL and C1.
bool is_control(char32_t c);

/// Characters that reorder what a terminal or a browser shows (Unicode UAX #9).
bool is_bidi_control(char32_t c);

/// Whether `text` is UTF-8 without any control character or bidi control: what names of members
/// are.
bool is_plain(std::string_view text);

/// Characters that what shows text obeys instead, or refuses: controls, what reorders text,
/// separators of lines, and the noncharacters U+FFFE and U+FFFF, which XML 1.0, and so SVG, cannot
/// hold.
bool is_unsafe_to_show(char32_t c);

}  // namespace mlf::support
