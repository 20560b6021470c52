// Numbers in text, in the spelling of std::from_chars: no locale, no blanks, no plus sign.
#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <limits>
#include <numeric>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

namespace mlf::support {

/// Takes the number that `text` begins with off it. Nothing, and `text` as it was, where it begins
/// with none or the number does not fit.
template <class Number>
std::optional<Number> take_number(std::string_view& text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

/// The number that all of `text` is, if it has only digits, so few that any number fits.
template <std::integral Number>
std::optional<Number> short_number(std::string_view text) {
  if (text.empty() || text.size() > std::numeric_limits<Number>::digits10) return std::nullopt;
  Number number{};
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    number = static_cast<Number>(10 * number + static_cast<Number>(c - '0'));
  }
  return number;
}

/// The number that all of `text` is. Nothing where it is none or does not fit.
template <class Number>
std::optional<Number> whole_number(std::string_view text) {
  // Nearly all integers are short; std::from_chars expects an overflow at each digit.
  if constexpr (std::integral<Number>) {
    if (const auto number = short_number<Number>(text)) return number;
  }
  const auto number = take_number<Number>(text);
  return text.empty() ? number : std::nullopt;
}

/// The least multiple of `unit` that is not below `size`.
template <std::integral Number>
constexpr Number round_up(Number size, Number unit) {
  return (size + unit - 1) / unit * unit;
}

/// 0, 1, … below `count`. Clang 14 does not compile std::views with libstdc++ 12.
inline std::vector<std::size_t> positions(std::size_t count) {
  std::vector<std::size_t> all(count);
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

}  // namespace mlf::support
