// Orders of calls: quick ones, and the best one.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "plan/order_graph.h"

namespace mlf::plan {

struct FoundOrder {
  std::vector<CallIndex> calls;
  std::uint64_t peak = 0;
};

/// Goes on with the `width` best beginnings of each length: those with the lowest peak, and of
/// these with the fewest bytes alive. 1 is a greedy order. One call at least.
FoundOrder beam_order(const OrderGraph& graph, std::size_t width);

struct OrderSearchResult {
  std::optional<FoundOrder> better{};  ///< the best order, if its peak is below the known one
  std::uint64_t lower_bound = 0;
  bool is_complete = false;  ///< false: the limits ended it
};

/// Looks for an order with a peak below `known_peak`; `lower_bound` is that of the graph.
OrderSearchResult search_order(const OrderGraph& graph, std::uint64_t known_peak,
                               std::uint64_t lower_bound, const SearchLimits& limits);

}  // namespace mlf::plan
