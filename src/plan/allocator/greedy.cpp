#include "plan/allocator/greedy.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "support/sort_by_key.h"

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

namespace {

/// Of the items that a heap has to allocate.
struct Means {
  double life = 1;  // sections
  double size = 1;
};

/// Free and used bytes above `base`, as a list of blocks in the order of their offsets.
class Heap {
 public:
  using BlockIndex = std::uint32_t;

  Heap(Units base, const Means& means) : top_(base), means_(means) {}

  /// Returns the block of an item that lives until `end`.
  BlockIndex allocate(const Item& item, SectionIndex end) {
    const BlockIndex hole = hole_for(item, end);
    if (hole == kNone) {
      const Units offset = item.aligned(top_);
      if (offset > top_) add_hole(insert(last_, top_, offset - top_));
      top_ = offset + item.size;
      const BlockIndex added = insert(last_, offset, item.size);
      blocks_[added].end = end;
      return added;
    }
    by_size_.erase({blocks_[hole].size, hole});
    const Units from = blocks_[hole].from;
    const Units to = from + blocks_[hole].size;
    const Units lowest = item.aligned(from);
    const Units highest = (to - item.size) / item.alignment * item.alignment;
    const Units offset = is_near_below(hole, end) ? lowest : highest;
    if (offset > from) add_hole(insert(blocks_[hole].below, from, offset - from));
    const Units rest = offset + item.size;
    if (rest < to) add_hole(insert(hole, rest, to - rest));
    blocks_[hole].from = offset;
    blocks_[hole].size = item.size;
    blocks_[hole].end = end;
    return hole;
  }

  Units offset(BlockIndex block) const { return blocks_[block].from; }
  void set_end(BlockIndex block, SectionIndex end) { blocks_[block].end = end; }

  void release(BlockIndex block) {
    const BlockIndex above = blocks_[block].above;
    if (is_hole(above)) {
      blocks_[block].size += blocks_[above].size;
      remove_hole(above);
    }
    const BlockIndex below = blocks_[block].below;
    if (is_hole(below)) {
      blocks_[block].from = blocks_[below].from;
      blocks_[block].size += blocks_[below].size;
      remove_hole(below);
    }
    if (block == last_) {
      top_ = blocks_[block].from;
      unlink(block);
    } else {
      add_hole(block);
    }
  }

 private:
  static constexpr BlockIndex kNone = UINT32_MAX;
  struct Block {
    Units from = 0;
    Units size = 0;
    SectionIndex end = 0;  // of the item's life; 0 for a hole
    BlockIndex below = kNone;
    BlockIndex above = kNone;
  };

  bool is_hole(BlockIndex block) const { return block != kNone && blocks_[block].end == 0; }

  /// How many sections are between the ends of two items.
  SectionIndex distance(BlockIndex neighbour, SectionIndex end) const {
    if (neighbour == kNone) return std::numeric_limits<SectionIndex>::max();
    const SectionIndex other = blocks_[neighbour].end;
    return other < end ? end - other : other - end;
  }

  bool is_near_below(BlockIndex hole, SectionIndex end) const {
    return distance(blocks_[hole].below, end) <= distance(blocks_[hole].above, end);
  }

  /// Chooses among the smallest holes that are large enough. Prefers a hole that the item fills,
  /// and a neighbour that ends at about the same time, because both then leave one large hole.
  BlockIndex hole_for(const Item& item, SectionIndex end) const {
    constexpr int kMostHoles = 8;
    BlockIndex best = kNone;
    double least_cost = 0;
    // With the most bytes that the alignment can cost.
    auto hole = by_size_.lower_bound({item.size + item.alignment - 1, 0});
    for (int i = 0; i < kMostHoles && hole != by_size_.end(); ++i, ++hole) {
      const auto [size, block] = *hole;
      const SectionIndex apart =
          std::min(distance(blocks_[block].below, end), distance(blocks_[block].above, end));
      // Without a product, so that no machine rounds it in another way.
      const double cost = static_cast<double>(apart) / means_.life +
                          static_cast<double>(size - item.size) / means_.size;
      if (best != kNone && cost >= least_cost) continue;
      best = block;
      least_cost = cost;
    }
    return best;
  }

  /// Adds a block above another, or as the lowest one.
  BlockIndex insert(BlockIndex below, Units from, Units size) {
    BlockIndex added = static_cast<BlockIndex>(blocks_.size());
    if (unused_.empty()) {
      blocks_.emplace_back();
    } else {
      added = unused_.back();
      unused_.pop_back();
    }
    const BlockIndex above = below == kNone ? first_ : blocks_[below].above;
    blocks_[added] = {.from = from, .size = size, .below = below, .above = above};
    (below == kNone ? first_ : blocks_[below].above) = added;
    (above == kNone ? last_ : blocks_[above].below) = added;
    return added;
  }

  void unlink(BlockIndex block) {
    const auto [from, size, end, below, above] = blocks_[block];
    (below == kNone ? first_ : blocks_[below].above) = above;
    (above == kNone ? last_ : blocks_[above].below) = below;
    unused_.push_back(block);
  }

  void add_hole(BlockIndex block) {
    blocks_[block].end = 0;
    by_size_.emplace(blocks_[block].size, block);
  }

  void remove_hole(BlockIndex block) {
    by_size_.erase({blocks_[block].size, block});
    unlink(block);
  }

  Units top_;  // nothing is used above, and the byte below is
  std::vector<Block> blocks_{};
  std::vector<BlockIndex> unused_{};
  BlockIndex first_ = kNone;
  BlockIndex last_ = kNone;
  std::set<std::pair<Units, BlockIndex>> by_size_{};  // holes
  Means means_;
};

/// A movable item, with its gaps counted as if there were none.
struct Life {
  SectionRange sections{};
  ItemIndex item = 0;
  Units size = 0;
  Units alignment = 1;
};

Means means_of(const std::vector<Life>& lives) {
  Means means;
  const auto count = static_cast<double>(lives.size());
  for (const Life& life : lives) {
    means.life += static_cast<double>(life.sections.last - life.sections.first) / count;
    means.size += static_cast<double>(life.size) / count;
  }
  return means;
}

/// Allocates items in the order of their beginnings. Items that begin together keep their order.
/// Returns false if the time ends before.
bool allocate(std::vector<Life> lives, Units base, Deadline& deadline, Placement& placement) {
  constexpr std::uint64_t kWorkOfItem = 300;
  // What is near in time is near in memory from here on.
  support::sort_by_key(lives, [](const Life& life) { return life.sections.first; });
  std::vector<ItemIndex> ends(lives.size());
  std::iota(ends.begin(), ends.end(), ItemIndex{0});
  support::sort_by_key(ends, [&](ItemIndex i) { return lives[i].sections.last; });
  std::vector<Heap::BlockIndex> blocks(lives.size());
  Heap heap(base, means_of(lives));
  const auto place = [&](std::size_t i, SectionIndex end) {
    const Life& life = lives[i];
    blocks[i] = heap.allocate({.size = life.size, .alignment = life.alignment}, end);
    placement[life.item] = heap.offset(blocks[i]);
  };
  // Those of the first section have the same offsets whatever their ends are.
  std::size_t next = 0;
  for (; next < lives.size() && lives[next].sections.first == lives[0].sections.first; ++next) {
    place(next, 1);
  }
  for (std::size_t i = 0; i < next; ++i) heap.set_end(blocks[i], lives[i].sections.last);
  auto next_end = ends.begin();
  for (; next < lives.size(); ++next) {
    if (deadline.ends_after(kWorkOfItem)) return false;
    for (; lives[*next_end].sections.last <= lives[next].sections.first; ++next_end) {
      heap.release(blocks[*next_end]);
    }
    place(next, lives[next].sections.last);
  }
  return true;
}

/// Those that are live in the section or later, from there on.
std::vector<Life> lives_from(const std::vector<Life>& lives, SectionIndex section) {
  std::vector<Life> result;
  for (Life life : lives) {
    life.sections.first = std::max(life.sections.first, section);
    if (life.sections.last > section) result.push_back(life);
  }
  return result;
}

}  // namespace

std::optional<Placement> in_order_of_time(const Instance& instance, SectionIndex from,
                                          Deadline& deadline) {
  Placement placement(instance.items.size());
  Units base = 0;
  std::vector<Life> lives;
  for (ItemIndex index = 0; index < placement.size(); ++index) {
    const Item& item = instance.items[index];
    placement[index] = item.fixed.value_or(0);
    if (item.fixed) {
      base = std::max(base, *item.fixed + item.size);
    } else {
      lives.push_back({instance.hull(index), index, item.size, item.alignment});
    }
  }
  const SectionIndex count = instance.section_count;
  // What is freed first is on top.
  support::sort_by_key(
      lives, [&](const Life& life) { return count - (life.sections.last - life.sections.first); });
  if (!allocate(lives_from(lives, from), base, deadline, placement)) return std::nullopt;
  // Those that are live in the section get the same offsets again.
  for (Life& life : lives) {
    life.sections = {count - life.sections.last, count - life.sections.first};
  }
  if (!allocate(lives_from(lives, count - 1 - from), base, deadline, placement)) {
    return std::nullopt;
  }
  return placement;
}

}  // namespace mlf::plan
