// Greedy planners: one buffer after the other, each at an offset that stays.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "plan/instance.h"
#include "plan/item_order.h"

namespace mlf::plan {

/// Where the next item goes, among those that are in their places.
enum class Fit : std::uint8_t {
  first,  ///< the lowest hole that is large enough
  best,   ///< the smallest such hole, the lowest of equals
  /// On top of everything that is alive with it, as tvm.tir.usmp's greedy planners do
  /// (GreedyBase::PlanMemory in src/tir/usmp/algo/greedy.cc), if no fixed item is in the way.
  stacked,
};

struct GreedyPlanner {
  std::string_view name;
  std::vector<Criterion> order;
  Fit fit = Fit::first;
};

/// The planners that `solve` starts with.
std::span<const GreedyPlanner> greedy_planners();

/// Places fixed items first, then the others in the planner's order.
Placement place_greedily(const Instance& instance, const GreedyPlanner& planner);

}  // namespace mlf::plan
