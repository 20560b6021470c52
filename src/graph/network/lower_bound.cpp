#include "graph/network/lower_bound.h"

#include <algorithm>
#include <vector>

#include "graph/allocations.h"

namespace mlf::graph {

void LowerBound::add(ByteRange range) {
  there_.emplace(range.end, range.begin);
}

void LowerBound::remove(ByteRange range) {
  const auto at = there_.find({range.end, range.begin});
  if (at != there_.end()) there_.erase(at);
}

// Weighted interval scheduling: `best` grows along the ends of the ranges, and each range either is
// left out or comes on top of the best of those that end where it begins or before.
std::uint64_t LowerBound::side_by_side() const {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> best{{0, 0}};  // end, bytes up to there
  for (const auto& [end, begin] : there_) {
    const auto after = std::upper_bound(
        best.begin(), best.end(), begin,
        [](std::uint64_t bound, const auto& entry) { return bound < entry.first; });
    const std::uint64_t with = sum_of(std::prev(after)->second, end - begin);
    if (with > best.back().second) best.emplace_back(end, with);
  }
  return best.back().second;
}

void LowerBound::step(std::uint64_t covered) {
  // No set of ranges that share nothing has more bytes than all cover together.
  if (covered <= bound_ || work_ > kMaxWork) return;
  work_ += there_.size();
  bound_ = std::max(bound_, side_by_side());
}

}  // namespace mlf::graph
