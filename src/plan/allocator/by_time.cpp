#include "plan/allocator/by_time.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "support/sort_by_key.h"

namespace mlf::plan {
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
