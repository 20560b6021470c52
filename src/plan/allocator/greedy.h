// Greedy planners: they place one buffer after the other and never move a placed buffer. Beside
// them one that takes near-linear time.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "plan/allocator/deadline.h"
#include "plan/allocator/instance.h"
#include "plan/allocator/item_order.h"

namespace mlf::plan {

/// Where to place the next item among the placed ones.
enum class Fit : std::uint8_t {
  first,  ///< the lowest hole that is large enough
  best,   ///< the smallest such hole, the lowest of equals
};

struct GreedyPlanner {
  std::vector<Criterion> order;
  Fit fit = Fit::first;
};

/// The planners that `solve` starts with.
std::span<const GreedyPlanner> greedy_planners();

/// Places fixed items first, then the others in the planner's order. `measures` are those of the
/// instance. Returns nullopt if the time ends before.
std::optional<Placement> place_greedily(const Instance& instance, const Measures& measures,
                                        const GreedyPlanner& planner, Deadline& deadline);

/// Allocates and frees items in the order of time, as a heap does, from this section to the last
/// one, and then from there back to the first one. All fixed items are below. Returns nullopt if
/// the time ends before.
std::optional<Placement> in_order_of_time(const Instance& instance, SectionIndex from,
                                          Deadline& deadline);

}  // namespace mlf::plan
