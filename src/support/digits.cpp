#include "support/digits.h"

#include <fmt/core.h>

#include "support/characters.h"

namespace mlf {
namespace {

/// Part of a name, or of a number with a fraction.
bool joins_digits(char c) {
  return support::is_word_character(c) || c == '.' || c == '/' || c == ':';
}

std::string grouped(std::string_view digits) {
  std::string out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) out += ',';
    out += digits[i];
  }
  return out;
}

}  // namespace

std::string group_digits(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && support::is_digit(text[end])) ++end;
    if (end == i) {
      out += text[i++];
      continue;
    }
    // Two full stops are a range: "10..72".
    const bool ends_range = i > 1 && text[i - 1] == '.' && text[i - 2] == '.';
    const bool begins_range = text.substr(end).starts_with("..");
    const bool is_part = (i > 0 && joins_digits(text[i - 1]) && !ends_range) ||
                         (end < text.size() && joins_digits(text[end]) && !begins_range);
    out += is_part ? std::string(text.substr(i, end - i)) : grouped(text.substr(i, end - i));
    i = end;
  }
  return out;
}

std::string percent(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "0.0";
  return fmt::format("{:.1f}", 100 * static_cast<double>(part) / static_cast<double>(whole));
}

}  // namespace mlf
