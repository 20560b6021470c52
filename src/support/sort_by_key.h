// A sort of many elements by whole numbers.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

namespace mlf::support {

/// Sorts stably by `key(element)`, an unsigned number. Sorts by one digit of all keys after the
/// other, so it takes linear time where keys are not much larger than the number of elements.
template <class Element, class Key>
void sort_by_key(std::vector<Element>& elements, Key key) {
  constexpr std::size_t kMostCompared = 1000;
  if (elements.size() <= kMostCompared) {
    std::ranges::stable_sort(elements, {}, key);
    return;
  }
  constexpr unsigned kBits = 11;
  constexpr std::uint64_t kDigits = std::uint64_t{1} << kBits;
  std::uint64_t used = 0;
  for (const Element& element : elements) used |= key(element);
  std::vector<Element> sorted(elements.size());
  for (unsigned shift = 0; shift < 64 && used >> shift != 0; shift += kBits) {
    const auto digit = [&](const Element& element) { return (key(element) >> shift) % kDigits; };
    std::array<std::size_t, kDigits + 1> begins{};
    for (const Element& element : elements) ++begins[digit(element) + 1];
    std::partial_sum(begins.begin(), begins.end(), begins.begin());
    for (Element& element : elements) sorted[begins[digit(element)]++] = std::move(element);
    elements.swap(sorted);
  }
}

/// Sorts stably by `number(element)`, which may be negative.
template <class Element, class Number>
void sort_by_number(std::vector<Element>& elements, Number number) {
  const auto value = [&](const Element& element) -> std::int64_t {
    return std::invoke(number, element);
  };
  std::int64_t least = INT64_MAX;
  for (const Element& element : elements) least = std::min(least, value(element));
  sort_by_key(elements, [&](const Element& element) {
    return static_cast<std::uint64_t>(value(element)) - static_cast<std::uint64_t>(least);
  });
}

}  // namespace mlf::support
