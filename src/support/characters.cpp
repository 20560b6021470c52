#include "support/characters.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cstddef>

#include "mlf/diagnostics.h"

namespace mlf::support {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t";
  text.remove_prefix(std::min(text.find_first_not_of(kBlank), text.size()));
  return text.substr(0, text.find_last_not_of(kBlank) + 1);
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  bool is_in_word = false;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote == 0 && std::isspace(static_cast<unsigned char>(c)) != 0) {
      is_in_word = false;
      continue;
    }
    if (!is_in_word) words.emplace_back();
    is_in_word = true;
    const bool is_quote = quote == 0 ? c == '"' || c == '\'' : c == quote;
    const char next = i + 1 < text.size() ? text[i + 1] : '\0';
    const bool escapes = quote == 0 || (quote == '"' && (next == '"' || next == '\\'));
    if (is_quote) {
      quote = quote == 0 ? c : '\0';
    } else if (c == '\\' && escapes && next != '\0') {
      words.back() += text[++i];
    } else {
      words.back() += c;
    }
  }
  return words;
}

char32_t take_character(std::string_view& text) {
  const auto lead = static_cast<unsigned char>(text.front());
  text.remove_prefix(1);
  if (lead < 0x80) return lead;
  // A byte that continues, or the lead of an overlong form or of a value beyond Unicode.
  if (lead < 0xc2 || lead > 0xf4) return kNotUtf8;
  const std::size_t following = lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
  if (text.size() < following) return kNotUtf8;
  char32_t value = static_cast<char32_t>(lead & (0x3f >> following));
  for (std::size_t i = 0; i < following; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xc0) != 0x80) return kNotUtf8;
    value = (value << 6) | (byte & 0x3f);
  }
  constexpr char32_t kSmallest[] = {0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xd800 && value <= 0xdfff;
  if (value < kSmallest[following] || value > 0x10ffff || surrogate) return kNotUtf8;
  text.remove_prefix(following);
  return value;
}

bool is_control(char32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0);
}

bool is_bidi_control(char32_t c) {
  return c == 0x061c || c == 0x200e || c == 0x200f || (c >= 0x202a && c <= 0x202e) ||
         (c >= 0x2066 && c <= 0x2069);
}

bool is_plain(std::string_view text) {
  while (!text.empty()) {
    const char32_t c = take_character(text);
    if (c == kNotUtf8 || is_control(c) || is_bidi_control(c)) return false;
  }
  return true;
}

bool is_unsafe_to_show(char32_t c) {
  // Line and paragraph separator, which some terminals take for a new line.
  const bool is_separator = c == 0x2028 || c == 0x2029;
  const bool is_noncharacter = c == 0xfffe || c == 0xffff;
  return is_control(c) || is_bidi_control(c) || is_separator || is_noncharacter;
}

std::size_t find_word(std::string_view text, std::string_view word, std::size_t from) {
  for (std::size_t at = text.find(word, from); at != text.npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !is_word_character(text[at - 1]);
    if (begins && (end == text.size() || !is_word_character(text[end]))) return at;
  }
  return text.npos;
}

std::string_view without_number(std::string_view name) {
  const std::size_t last = name.find_last_not_of("0123456789");
  const bool has_number =
      last != name.npos && last > 0 && last + 1 < name.size() && name[last] == '_';
  return has_number ? name.substr(0, last) : name;
}

std::string sanitized(std::string_view name) {
  std::string result(name);
  std::ranges::replace_if(
      result, [](char c) { return !is_letter(c) && !is_digit(c); }, '_');
  return result;
}

std::string in_capitals(std::string_view text) {
  std::string capitals(text);
  for (char& c : capitals) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return capitals;
}

}  // namespace mlf::support

namespace mlf {

std::string printable(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const std::string_view before = text;
    const char32_t c = support::take_character(text);
    if (c == support::kNotUtf8 || (c < 0x80 && support::is_control(c))) {
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(before.front()));
    } else if (support::is_unsafe_to_show(c)) {
      result += fmt::format("\\u{{{:x}}}", static_cast<std::uint32_t>(c));
    } else {
      result += before.substr(0, before.size() - text.size());
    }
  }
  return result;
}

}  // namespace mlf
