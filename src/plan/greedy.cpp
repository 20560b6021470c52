#include "plan/greedy.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace mlf::plan {
namespace {

/// The places of items that are live with one item: [from, to), by `from`.
using Occupied = std::vector<std::pair<Units, Units>>;

/// As in TVM's greedy planners, which never fill a hole. The result is never better than first fit
/// in the same order; it exists for the comparison with TVM's numbers.
Units above_all(const Item& item, const Occupied& occupied) {
  Units top = 0;
  for (const auto& [from, to] : occupied) top = std::max(top, to);
  return item.aligned(top);
}

/// The hole that `fit` prefers; the hole above everything has no end.
Units in_hole(const Item& item, const Occupied& occupied, Fit fit) {
  Units end = 0;
  Units best = -1;
  Units least_room = std::numeric_limits<Units>::max();
  for (const auto& [from, to] : occupied) {
    const Units offset = item.aligned(end);
    if (offset + item.size <= from) {
      if (fit == Fit::first) return offset;
      if (from - end < least_room) {
        least_room = from - end;
        best = offset;
      }
    }
    end = std::max(end, to);
  }
  return best >= 0 ? best : item.aligned(end);
}

}  // namespace

std::span<const GreedyPlanner> greedy_planners() {
  using enum Criterion;
  // Each is the best for some network; together they take less time than one search.
  static const std::vector<GreedyPlanner> planners = {
      {"greedy by size, stacked", {size, conflicts}, Fit::stacked},
      {"greedy by conflicts, stacked", {conflicts, size}, Fit::stacked},
      {"first fit by size", {size, conflicts}, Fit::first},
      {"first fit by conflicts", {conflicts, size}, Fit::first},
      {"first fit by area", {area}, Fit::first},
      {"first fit by lifetime", {lifetime, size}, Fit::first},
      {"first fit by pressure", {pressure, area}, Fit::first},
      {"first fit by pressure, then size", {pressure, size}, Fit::first},
      {"first fit by pressure, then lifetime", {pressure, lifetime, size}, Fit::first},
      {"first fit from the end", {end, size}, Fit::first},
      {"best fit by size", {size, conflicts}, Fit::best},
      {"best fit by conflicts", {conflicts, size}, Fit::best},
      {"best fit by area", {area}, Fit::best},
      {"best fit by pressure", {pressure, area}, Fit::best},
      {"best fit from the end", {end, size}, Fit::best},
      {"best fit from the last beginning", {begin, size}, Fit::best},
  };
  return planners;
}

std::optional<Placement> place_greedily(const Instance& instance, const Measures& measures,
                                        const GreedyPlanner& planner, Deadline& deadline) {
  constexpr Units kUnplaced = -1;
  Placement placement(instance.items.size(), kUnplaced);
  for (std::size_t item = 0; item < placement.size(); ++item) {
    placement[item] = instance.items[item].fixed.value_or(kUnplaced);
  }
  std::vector<ItemIndex> order = instance.all_items();
  measures.sort(order, planner.order);
  Occupied occupied;
  // Places fixed items before all others, so that the others go around them.
  for (const ItemIndex index : order) {
    if (placement[index] != kUnplaced) continue;
    if (deadline.ends_after(kWorkOfConflict * instance.conflicts[index].size())) {
      return std::nullopt;
    }
    occupied.clear();
    for (const ItemIndex other : instance.conflicts[index]) {
      if (placement[other] == kUnplaced) continue;
      occupied.emplace_back(placement[other], placement[other] + instance.items[other].size);
    }
    // Two of these may share bytes: both are live with the item, but not necessarily with each
    // other.
    std::sort(occupied.begin(), occupied.end());
    const Item& item = instance.items[index];
    placement[index] = planner.fit == Fit::stacked ? above_all(item, occupied)
                                                   : in_hole(item, occupied, planner.fit);
  }
  return placement;
}

}  // namespace mlf::plan
