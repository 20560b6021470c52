#include "run/call_pairs.h"

#include <map>
#include <utility>

namespace mlf::run {

std::vector<std::optional<std::size_t>> paired_calls(std::span<const std::string_view> calls,
                                                     std::span<const std::string_view> others) {
  std::map<std::pair<std::string_view, std::size_t>, std::size_t> places;
  std::map<std::string_view, std::size_t> counts;
  for (std::size_t i = 0; i < others.size(); ++i) {
    places.emplace(std::pair(others[i], counts[others[i]]++), i);
  }
  counts.clear();
  std::vector<bool> taken(others.size());
  std::vector<std::optional<std::size_t>> pairs;
  for (const std::string_view kernel : calls) {
    const auto found = places.find(std::pair(kernel, counts[kernel]++));
    pairs.push_back(found == places.end() ? std::nullopt : std::optional(found->second));
    if (pairs.back()) taken[*pairs.back()] = true;
  }
  if (calls.size() != others.size()) return pairs;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (!pairs[i] && !taken[i]) pairs[i] = i;
  }
  return pairs;
}

}  // namespace mlf::run
