#include "plan/allocator/greedy.h"

#include "plan/allocator/occupancy.h"

namespace mlf::plan {
namespace {

/// The hole that `fit` prefers; the one above everything only if no other is large enough.
Units in_hole(const Item& item, Occupancy& occupancy, Fit fit) {
  Extent best = occupancy.next_hole(item);
  if (fit == Fit::best) {
    for (Extent hole = best; hole.second != Occupancy::kNoEnd;) {
      if (hole.second - hole.first < best.second - best.first) best = hole;
      hole = occupancy.next_hole(item);
    }
  }
  return item.aligned(best.first);
}

}  // namespace

std::span<const GreedyPlanner> greedy_planners() {
  using enum Criterion;
  // Each is the best for some network; together they take less time than one search.
  static const std::vector<GreedyPlanner> planners = {
      {{area}, Fit::first},
      {{pressure, lifetime, size}, Fit::first},
      {{size, conflicts}, Fit::first},
      {{pressure, area}, Fit::first},
      {{pressure, size}, Fit::first},
      {{conflicts, size}, Fit::first},
      {{lifetime, size}, Fit::first},
      {{end, size}, Fit::first},
      {{size, conflicts}, Fit::best},
      {{conflicts, size}, Fit::best},
      {{area}, Fit::best},
      {{pressure, area}, Fit::best},
      {{end, size}, Fit::best},
      {{begin, size}, Fit::best},
  };
  return planners;
}

std::optional<Placement> place_greedily(const Instance& instance, const Measures& measures,
                                        const GreedyPlanner& planner, Deadline& deadline) {
  constexpr Units kUnplaced = -1;
  constexpr std::uint64_t kWorkOfItem = 100;
  Placement placement(instance.items.size(), kUnplaced);
  for (std::size_t item = 0; item < placement.size(); ++item) {
    placement[item] = instance.items[item].fixed.value_or(kUnplaced);
  }
  std::vector<ItemIndex> order = instance.all_items();
  measures.sort(order, planner.order);
  Occupancy occupancy(instance.section_count);
  const auto add = [&](ItemIndex index) {
    const Units end = placement[index] + instance.items[index].size;
    occupancy.add(instance.ranges[index], {placement[index], end});
  };
  // Places fixed items before all others, so that the others go around them.
  for (const ItemIndex index : order) {
    if (placement[index] != kUnplaced) add(index);
  }
  for (const ItemIndex index : order) {
    if (placement[index] != kUnplaced) continue;
    if (deadline.ends_after(kWorkOfItem)) return std::nullopt;
    const Item& item = instance.items[index];
    occupancy.look_at(instance.ranges[index]);
    placement[index] = in_hole(item, occupancy, planner.fit);
    add(index);
  }
  return placement;
}

}  // namespace mlf::plan
