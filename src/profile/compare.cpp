#include <fmt/core.h>

#include <map>
#include <string_view>
#include <utility>

#include "mlf/profile.h"
#include "support/error.h"

namespace mlf {
namespace {

/// For each call of `after`, the call of `before`.
std::vector<ProfileDifference> paired(const Profile& before, const Profile& after) {
  std::map<std::pair<std::string_view, std::size_t>, std::size_t> places;
  std::map<std::string_view, std::size_t> counts;
  for (std::size_t i = 0; i < before.calls.size(); ++i) {
    const std::string_view kernel = before.calls[i].kernel;
    places.emplace(std::pair(kernel, counts[kernel]++), i);
  }
  counts.clear();
  std::vector<bool> taken(before.calls.size());
  std::vector<ProfileDifference> pairs;
  for (std::size_t i = 0; i < after.calls.size(); ++i) {
    const std::string_view kernel = after.calls[i].kernel;
    const auto found = places.find(std::pair(kernel, counts[kernel]++));
    pairs.push_back({.after = i});
    if (found == places.end()) continue;
    pairs.back().before = found->second;
    taken[found->second] = true;
  }
  if (before.calls.size() == after.calls.size()) {
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      if (pairs[i].before || taken[i]) continue;
      pairs[i].before = i;
      taken[i] = true;
    }
  }
  for (std::size_t i = 0; i < taken.size(); ++i) {
    if (!taken[i]) pairs.push_back({.before = i});
  }
  return pairs;
}

}  // namespace

Result<std::vector<ProfileDifference>> compare_profiles(const Profile& before,
                                                        const Profile& after) {
  return support::to_result([&] {
    if (before.unit() != after.unit()) {
      throw support::Error(ErrorKind::usage, fmt::format("{} cannot be compared with {}",
                                                         before.unit(), after.unit()));
    }
    return paired(before, after);
  });
}

}  // namespace mlf
