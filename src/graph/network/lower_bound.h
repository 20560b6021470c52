// How much memory calls in a given order need, wherever their tensors are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>

#include "graph/network/coverage.h"

namespace mlf::graph {

/// Follows ranges as they come and go. Ranges that are there at one step and share no byte must
/// have room side by side in every plan; those that share bytes show that they need not. The most
/// that must be side by side at any step is the bound.
class LowerBound {
 public:
  void add(ByteRange range);
  void remove(ByteRange range);
  /// Says how many bytes the ranges that are there now cover together.
  void step(std::uint64_t covered);

  std::uint64_t bytes() const { return bound_; }

 private:
  // Ranges looked at where some share bytes, of all steps together. Beyond that such steps do not
  // count, and the bound is lower than it could be.
  static constexpr std::size_t kMaxWork = 10'000'000;

  std::uint64_t side_by_side() const;

  std::multiset<std::pair<std::uint64_t, std::uint64_t>> there_;  // end, begin
  std::uint64_t bound_ = 0;
  std::size_t work_ = 0;
};

}  // namespace mlf::graph
