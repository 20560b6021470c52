// Strings of the IR are bytes; strings of JSON are Unicode. How one becomes the other.
//
// Well-formed UTF-8 stands for itself. Every other byte B (0x80 to 0xFF) is written as the private
// character U+EF00 + B, and so is every byte of a character U+EF80 to U+EFFF that the string
// really holds: the way back has one answer, and strict JSON tools see valid UTF-8 only.
#pragma once

#include <string>
#include <string_view>

namespace mlf::tir::json {

/// Length of the well-formed UTF-8 character at the start of `text` that stands for itself; 0
/// where the first byte has to be escaped.
std::size_t plain_character(std::string_view text);

/// UTF-8 of the private character that stands for the byte `byte` (0x80 or above).
std::string escaped_byte(unsigned char byte);

/// The bytes that decoded JSON text stands for.
std::string to_bytes(std::string_view text);

/// Whether `to_bytes` would change the text.
bool has_escaped_bytes(std::string_view text);

}  // namespace mlf::tir::json
