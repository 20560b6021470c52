#include "support/digits.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "support/characters.h"

namespace mlf {
namespace {

/// Part of a name, or of a number with a fraction.
bool joins_digits(char c) {
  return support::is_word_character(c) || c == '.' || c == '/' || c == ':';
}

/// What the number behind `text` is by these words: the number of a line or call, as in "lines 9 to
/// 12".
bool names_a_place(std::string_view text) {
  constexpr std::array<std::string_view, 3> kPlaces{"line ", "lines ", "call "};
  if (text.ends_with(" to ")) {
    text.remove_suffix(std::string_view(" to ").size());
    while (!text.empty() && support::is_digit(text.back())) text.remove_suffix(1);
  }
  return std::ranges::any_of(kPlaces, [&](std::string_view word) { return text.ends_with(word); });
}

/// Whether digits between these texts are no amount: part of a name, a version or an address.
bool are_name(std::string_view before, std::string_view digits, std::string_view after) {
  // Two full stops are a range: "10..72". A hyphen behind a word is no sign: "mlp-1024".
  const auto at = [](std::string_view text, std::size_t i) {
    return i < text.size() ? text[i] : ' ';
  };
  const char last = before.empty() ? ' ' : before.back();
  const char last_but_one = before.size() < 2 ? ' ' : before[before.size() - 2];
  const bool joins_before =
      !before.ends_with("..") &&
      (joins_digits(last) || (last == '-' && support::is_word_character(last_but_one)));
  const bool joins_after = !after.starts_with("..") &&
                           (joins_digits(at(after, 0)) ||
                            (at(after, 0) == '-' && support::is_word_character(at(after, 1))));
  return joins_before || joins_after || digits.starts_with('0') || names_a_place(before);
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
    const std::string_view digits = text.substr(i, end - i);
    const bool is_name = are_name(text.substr(0, i), digits, text.substr(end));
    out += is_name ? std::string(digits) : grouped(digits);
    i = end;
  }
  return out;
}

std::string percent(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "0.0";
  return fmt::format("{:.1f}", 100 * static_cast<double>(part) / static_cast<double>(whole));
}

}  // namespace mlf
