// Strings of the IR are bytes; strings of JSON are Unicode. How one becomes the other.
//
// Well-formed UTF-8 is written as it is, but for what a terminal would obey instead of showing it,
// which JSON can write as \u202e. Every other byte B (0x80 to 0xFF) is written as the
// private character U+EF00 + B, and so is every byte of a character U+EF80 to U+EFFF that the
// string really holds: the way back has one answer, and strict JSON tools see valid UTF-8 only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace mlf::json {

/// Length of the well-formed UTF-8 character at the start of `text`; 0 where there is none.
std::size_t utf8_length(std::string_view text);

void append_utf8(std::string& text, std::uint32_t code_point);

/// As `utf8_length`, but 0 also where the first byte has to be escaped.
std::size_t plain_character(std::string_view text);

/// UTF-8 of the private character for the byte `byte` (0x80 or above).
std::string escaped_byte(unsigned char byte);

/// The bytes that decoded JSON text means.
std::string to_bytes(std::string_view text);

/// Whether `to_bytes` would change the text.
bool has_escaped_bytes(std::string_view text);

/// `text` with U+FFFD for each byte that is not part of a well-formed character.
std::string valid_utf8(std::string_view text);

/// Whether `append_escaped` would append the bytes as they are: ASCII that needs no escape.
bool is_plain(std::string_view bytes);

/// Appends any bytes as the content of a JSON string, by the rule above.
void append_escaped(std::string& json, std::string_view bytes);

/// `text` as a JSON string in quotes, for messages: U+FFFD for what is not UTF-8.
std::string quoted(std::string_view text);

}  // namespace mlf::json
