// Converts between strings of the IR, which are bytes, and strings of JSON, which are Unicode.
//
// Well-formed UTF-8 stays unchanged, except that characters which a terminal interprets are
// escaped, such as \u202e. Every other byte B (0x80 to 0xFF) becomes the private character U+EF00 +
// B, and so does every byte of a character U+EF80 to U+EFFF in the string: so the conversion is
// reversible, and strict JSON tools see only valid UTF-8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace mlf::json {

/// Returns the length of the well-formed UTF-8 character at the start of `text`; 0 if there is
/// none.
std::size_t utf8_length(std::string_view text);

void append_utf8(std::string& text, std::uint32_t code_point);

/// As `utf8_length`, but also 0 if the first byte must be escaped.
std::size_t plain_character(std::string_view text);

/// Returns the bytes of the IR for decoded JSON text.
std::string to_bytes(std::string_view text);

/// Returns whether `to_bytes` would change the text.
bool has_escaped_bytes(std::string_view text);

/// `text` with U+FFFD for each byte that is not part of a well-formed character.
std::string valid_utf8(std::string_view text);

/// Returns whether the bytes are ASCII that needs no escape.
bool is_plain(std::string_view bytes);

/// Appends any bytes as the content of a JSON string, by the rule above.
void append_escaped(std::string& json, std::string_view bytes);

/// `text` as a JSON string in quotes, for messages, with U+FFFD for bytes that are not UTF-8.
std::string quoted(std::string_view text);

}  // namespace mlf::json
