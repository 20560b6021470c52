#include "support/nearest.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <numeric>

namespace mlf {
namespace {

// Longer names are no slip of the hand, and the table below is of a fixed size.
constexpr std::size_t kLongest = 100;

std::string lower(std::string_view text) {
  std::string out;
  for (const char c : text) {
    // Arm writes "Cortex-M0+".
    if (c == '+') out += "plus";
    if (c != '+') out += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return out;
}

/// Edits from `a` to `b`: letters to insert, remove, replace, or swap with the next.
std::size_t distance(std::string_view a, std::string_view b) {
  using Line = std::array<std::size_t, kLongest + 1>;
  Line before{};
  Line above{};
  Line line{};
  std::iota(above.begin(), above.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    line[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      line[j] = std::min({above[j] + 1, line[j - 1] + 1, replaced});
      const bool is_swap = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (is_swap) line[j] = std::min(line[j], before[j - 2] + 1);
    }
    before = above;
    above = line;
  }
  return above[b.size()];
}

}  // namespace

std::optional<std::string> nearest(std::string_view name, std::span<const std::string> known) {
  if (name.empty() || name.size() > kLongest) return std::nullopt;
  const std::string wanted = lower(name);
  // The only name that continues the given one is meant, whatever is near.
  const auto continues = [&](const std::string& one) { return lower(one).starts_with(wanted); };
  if (wanted.size() > 3 && std::ranges::count_if(known, continues) == 1) {
    return *std::ranges::find_if(known, continues);
  }
  const std::string* closest = nullptr;
  const std::string* container = nullptr;
  std::size_t containers = 0;
  std::size_t fewest = std::max<std::size_t>(1, name.size() / 3) + 1;
  for (const std::string& one : known) {
    const std::string candidate = lower(one);
    const bool contains = wanted.size() >= 2 && candidate.find(wanted) != candidate.npos;
    containers += contains ? 1 : 0;
    if (contains && (container == nullptr || one.size() < container->size())) container = &one;
    const std::size_t longer = std::max(candidate.size(), wanted.size());
    const std::size_t shorter = std::min(candidate.size(), wanted.size());
    if (longer > kLongest || longer - shorter >= fewest) continue;
    const std::size_t edits = distance(wanted, candidate);
    // Not all letters: that would be another name.
    if (edits >= fewest || edits >= longer) continue;
    fewest = edits;
    closest = &one;
  }
  // Two letters, as in "nn", may be in many names.
  if (wanted.size() < 3 && containers > 1) container = nullptr;
  const std::string* best = closest != nullptr ? closest : container;
  return best == nullptr ? std::nullopt : std::optional(*best);
}

std::string did_you_mean(std::string_view name, std::span<const std::string> known) {
  const auto one = nearest(name, known);
  return one ? "; did you mean '" + *one + "'?" : "";
}

std::string some_of(std::span<const std::string> names, std::size_t most) {
  const std::size_t shown = std::min(names.size(), most);
  std::string text = fmt::format("{}", fmt::join(names.first(shown), ", "));
  if (names.size() > shown) text += fmt::format(" and {} more", names.size() - shown);
  return text;
}

}  // namespace mlf
