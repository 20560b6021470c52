// Numbers in text, in the spelling of std::from_chars: no locale, no blanks, no plus sign.
// Threads: functions have no shared state; any number of threads may call them at once.
#pragma once

#include <charconv>
#include <cstddef>
#include <optional>
#include <string_view>
#include <system_error>

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

/// The number that all of `text` is. Nothing where it is none or does not fit.
template <class Number>
std::optional<Number> whole_number(std::string_view text) {
  const auto number = take_number<Number>(text);
  return text.empty() ? number : std::nullopt;
}

}  // namespace mlf::support
