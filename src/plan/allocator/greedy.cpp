#include "plan/allocator/greedy.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

namespace mlf::plan {
namespace {

/// The bytes [from, to).
using Extent = std::pair<Units, Units>;

/// Joins extents that overlap or touch.
void add_to(std::vector<Extent>& extents, Extent added) {
  const auto first = std::ranges::lower_bound(extents, added.first, {}, &Extent::second);
  if (first == extents.end() || first->first > added.second) {
    extents.insert(first, added);
    return;
  }
  auto last = first;
  for (; last != extents.end() && last->first <= added.second; ++last) {
    added.second = std::max(added.second, last->second);
  }
  *first = {std::min(first->first, added.first), added.second};
  extents.erase(first + 1, last);
}

/// A tree over sections. A range of sections is a few nodes of it, so it takes about the logarithm
/// of the number of sections to add an item, and to look at the bytes that are used in its
/// sections.
class Occupancy {
 public:
  explicit Occupancy(SectionIndex sections) {
    while (leaves_ < sections) leaves_ *= 2;
    nodes_.resize(2 * std::size_t{leaves_});
  }

  void add(std::span<const SectionRange> ranges, const Extent& extent) {
    visit(
        ranges,
        [&](Node& node) {
          add_to(node.anywhere, extent);
          add_to(node.everywhere, extent);
        },
        [&](Node& node) { add_to(node.anywhere, extent); });
  }

  /// Begins to look at what is used in these sections. Ends with the next call of `add`.
  void look_at(std::span<const SectionRange> ranges) {
    rests_.clear();
    end_ = 0;
    const auto add = [this](const Extents& extents) {
      if (!extents.empty()) rests_.push_back({extents.data(), extents.data() + extents.size()});
    };
    visit(
        ranges, [&](const Node& node) { add(node.anywhere); },
        [&](const Node& node) { add(node.everywhere); });
  }

  /// The lowest hole above the last one in which the item fits. That above everything ends at
  /// `kNoEnd`, and is the last one.
  Extent next_hole(const Item& item) {
    for (bool is_hole = false; !is_hole;) {
      is_hole = true;
      Units limit = kNoEnd;
      for (Rest& rest : rests_) {
        for (; rest.next != rest.end; ++rest.next) {
          const auto& [from, to] = *rest.next;
          if (to <= end_) continue;
          if (from >= item.aligned(end_) + item.size) break;
          end_ = to;
          is_hole = false;
        }
        if (rest.next != rest.end) limit = std::min(limit, rest.next->first);
      }
      if (is_hole) return {std::exchange(end_, limit), limit};
    }
    return {};
  }

  static constexpr Units kNoEnd = std::numeric_limits<Units>::max();

 private:
  /// Disjoint and in order.
  using Extents = std::vector<Extent>;
  struct Node {
    Extents anywhere{};    ///< used in at least one section of the node
    Extents everywhere{};  ///< of items that are live in all sections of the node, but not of the
                           ///< node above
  };
  /// The extents that are not below the present place.
  struct Rest {
    const Extent* next;
    const Extent* end;
  };

  /// Calls `inside` for the largest nodes within a range, and `across` for the nodes above them.
  template <class Inside, class Across>
  void visit(std::span<const SectionRange> ranges, Inside inside, Across across) {
    for (const SectionRange& range : ranges) {
      // Of each level, from the leaves to the root: the nodes at the ends of the range, and the
      // nodes [begin, end) that are within it.
      std::size_t first = leaves_ + range.first;
      std::size_t last = leaves_ + range.last - 1;
      std::size_t begin = first;
      std::size_t end = last + 1;
      for (; first > 0; first /= 2, last /= 2, begin /= 2, end /= 2) {
        const bool is_above = begin == end;
        if (is_above || first < begin) across(nodes_[first]);
        if (first != last && (is_above || last >= end)) across(nodes_[last]);
        if (begin != end && begin % 2 == 1) inside(nodes_[begin++]);
        if (begin != end && end % 2 == 1) inside(nodes_[--end]);
      }
    }
  }

  SectionIndex leaves_ = 1;
  std::vector<Node> nodes_{};
  std::vector<Rest> rests_{};
  Units end_ = 0;  ///< what is below was looked at
};

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
