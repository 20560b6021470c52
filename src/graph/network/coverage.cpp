#include "graph/network/coverage.h"

#include <algorithm>
#include <bit>

namespace mlf::graph {

// A segment tree. Its leaves are the pieces between adjacent bounds, padded with empty ones to a
// power of two, so the parent of node n is n / 2.
Coverage::Coverage(const std::vector<ByteRange>& ranges) {
  for (const ByteRange& range : ranges) {
    bounds_.push_back(range.begin);
    bounds_.push_back(range.end);
  }
  std::sort(bounds_.begin(), bounds_.end());
  bounds_.erase(std::unique(bounds_.begin(), bounds_.end()), bounds_.end());
  leaves_ = std::bit_ceil(std::max<std::size_t>(bounds_.size(), 1));
  tree_.resize(2 * leaves_);
  for (std::size_t i = 0; i + 1 < bounds_.size(); ++i) {
    tree_[leaves_ + i].span = {bounds_[i], bounds_[i + 1]};
  }
  for (std::size_t i = bounds_.empty() ? leaves_ : bounds_.size() - 1; i < leaves_; ++i) {
    const std::uint64_t end = bounds_.empty() ? 0 : bounds_.back();
    tree_[leaves_ + i].span = {end, end};
  }
  for (std::size_t node = leaves_ - 1; node > 0; --node) {
    tree_[node].span = {tree_[2 * node].span.begin, tree_[2 * node + 1].span.end};
  }
}

std::size_t Coverage::leaf_at(std::uint64_t bound) const {
  const auto at = std::lower_bound(bounds_.begin(), bounds_.end(), bound);
  return leaves_ + static_cast<std::size_t>(at - bounds_.begin());
}

// A covered node ignores its children: ranges below it count only when it is uncovered.
void Coverage::update(std::size_t node) {
  Node& own = tree_[node];
  if (own.ranges > 0) {
    own.bytes = own.span.end - own.span.begin;
    own.end = own.bytes > 0 ? own.span.end : 0;
  } else if (node >= leaves_) {
    own.bytes = own.end = 0;
  } else {
    own.bytes = tree_[2 * node].bytes + tree_[2 * node + 1].bytes;
    own.end = std::max(tree_[2 * node].end, tree_[2 * node + 1].end);
  }
}

void Coverage::update_above(std::size_t leaf) {
  for (std::size_t node = leaf / 2; node > 0; node /= 2) update(node);
}

// The usual bottom-up walk of a segment tree: splits [first, last) into its O(log n) largest nodes,
// and changes only these and the nodes above them.
void Coverage::change(ByteRange range, int by) {
  if (range.begin >= range.end) return;
  const std::size_t first = leaf_at(range.begin);
  const std::size_t last = leaf_at(range.end);
  const auto cover = [&](std::size_t node) {
    tree_[node].ranges += by;
    update(node);
  };
  for (std::size_t a = first, b = last; a < b; a /= 2, b /= 2) {
    if (a % 2 == 1) cover(a++);
    if (b % 2 == 1) cover(--b);
  }
  update_above(first);
  update_above(last - 1);
}

}  // namespace mlf::graph
