#include "json/text.h"

#include <fmt/core.h>

#include "support/characters.h"

namespace mlf::json {
namespace {

// U+EF80 to U+EFBF are EE BE 80..BF, U+EFC0 to U+EFFF are EE BF 80..BF: see `escaped_byte`.
constexpr char32_t kEscapeBase = 0xEF00;

unsigned char byte_at(std::string_view text, std::size_t i) {
  return static_cast<unsigned char>(text[i]);
}

// The character at the start of `text`.
struct Character {
  std::size_t length = 0;  // 0: malformed
  char32_t code = 0;
};

Character first_character(std::string_view text) {
  std::string_view rest = text;
  const char32_t code = support::take_character(rest);
  if (code == support::kNotUtf8) return {};
  return {text.size() - rest.size(), code};
}

// The 128 characters that mean a byte which is not UTF-8.
bool is_escape(char32_t code) {
  return code >= kEscapeBase + 0x80 && code <= kEscapeBase + 0xFF;
}

// Plain ASCII needs no escape; other bytes are checked.
bool needs_no_escape(unsigned char byte) {
  return byte >= 0x20 && byte < 0x7f && byte != '"' && byte != '\\';
}

// Three bytes, because the escapes are all between U+0800 and U+FFFF.
std::string escaped_byte(unsigned char byte) {
  const char32_t code = kEscapeBase + byte;
  return {static_cast<char>(0xE0 | code >> 12), static_cast<char>(0x80 | (code >> 6 & 0x3F)),
          static_cast<char>(0x80 | (code & 0x3F))};
}

// Uses the short forms of JSON that people recognise.
void append_escape(std::string& json, unsigned char byte) {
  constexpr std::string_view kBytes = "\"\\\n\t\r";
  constexpr std::string_view kLetters = "\"\\ntr";
  const std::size_t which = kBytes.find(static_cast<char>(byte));
  if (which != kBytes.npos) {
    json += {'\\', kLetters[which]};
  } else {
    json += byte < 0x80 ? fmt::format("\\u{:04x}", byte) : escaped_byte(byte);
  }
}

}  // namespace

std::size_t utf8_length(std::string_view text) {
  return first_character(text).length;
}

void append_utf8(std::string& text, std::uint32_t code_point) {
  const auto byte = [&](std::uint32_t value) { text += static_cast<char>(value); };
  if (code_point < 0x80) return byte(code_point);
  if (code_point < 0x800) {
    byte(0xC0 | code_point >> 6);
  } else if (code_point < 0x10000) {
    byte(0xE0 | code_point >> 12);
    byte(0x80 | (code_point >> 6 & 0x3F));
  } else {
    byte(0xF0 | code_point >> 18);
    byte(0x80 | (code_point >> 12 & 0x3F));
    byte(0x80 | (code_point >> 6 & 0x3F));
  }
  byte(0x80 | (code_point & 0x3F));
}

std::size_t plain_character(std::string_view text) {
  const Character character = first_character(text);
  return is_escape(character.code) ? 0 : character.length;
}

// Copies all other bytes unchanged, including malformed ones, which some readers allow.
std::string to_bytes(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size());
  while (!text.empty()) {
    const Character character = first_character(text);
    const std::size_t length = character.length == 0 ? 1 : character.length;
    // Three bytes become one.
    if (is_escape(character.code)) {
      bytes += static_cast<char>(character.code - kEscapeBase);
    } else {
      bytes += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  return bytes;
}

// All escapes begin with this byte, which is rare in text.
bool has_escaped_bytes(std::string_view text) {
  for (std::size_t at = text.find('\xEE'); at != text.npos; at = text.find('\xEE', at + 1)) {
    if (is_escape(first_character(text.substr(at)).code)) return true;
  }
  return false;
}

std::string valid_utf8(std::string_view text) {
  std::string valid;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    valid += length == 0 ? std::string_view("\uFFFD") : text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return valid;
}

// Checks all bytes without a branch for each: names are short, and nearly all are plain.
bool is_plain(std::string_view bytes) {
  bool plain = true;
  for (const char byte : bytes) plain &= needs_no_escape(static_cast<unsigned char>(byte));
  return plain;
}

// Runs of plain ASCII are appended at once: they are nearly all of a document.
void append_escaped(std::string& json, std::string_view bytes) {
  while (!bytes.empty()) {
    std::size_t plain = 0;
    while (plain < bytes.size() && needs_no_escape(byte_at(bytes, plain))) ++plain;
    json += bytes.substr(0, plain);
    bytes.remove_prefix(plain);
    if (bytes.empty()) break;
    const unsigned char byte = byte_at(bytes, 0);
    const std::size_t length = byte < 0x80 ? 0 : plain_character(bytes);
    const char32_t code = length == 0 ? 0 : first_character(bytes).code;
    if (length == 0) {
      append_escape(json, byte);
    } else if (support::is_unsafe_to_show(code)) {
      // All of them are below U+10000.
      json += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(code));
    } else {
      json += bytes.substr(0, length);
    }
    bytes.remove_prefix(length == 0 ? 1 : length);
  }
}

std::string quoted(std::string_view text) {
  std::string json;
  json += '"';
  append_escaped(json, valid_utf8(text));
  json += '"';
  return json;
}

}  // namespace mlf::json
