#include "plan/by_time.h"

#include "support/sort_by_key.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

namespace mlf::plan {
namespace {

/// Free and used bytes above `base`.
class Heap {
 public:
  explicit Heap(Units base) : top_(base) {}

  Units allocate(const Item& item) {
    // With the most bytes that the alignment can cost.
    const auto hole = by_size_.lower_bound({item.size + item.alignment - 1, 0});
    if (hole == by_size_.end()) {
      const Units offset = item.aligned(top_);
      const Units from = std::exchange(top_, offset + item.size);
      release(from, offset - from);
      return offset;
    }
    const auto [size, from] = *hole;
    remove(holes_.find(from));
    const Units offset = item.aligned(from);
    release(from, offset - from);
    release(offset + item.size, from + size - offset - item.size);
    return offset;
  }

  void release(Units offset, Units size) {
    if (size == 0) return;
    auto above = holes_.lower_bound(offset);
    if (above != holes_.end() && above->first == offset + size) {
      size += above->second;
      above = remove(above);
    }
    if (above != holes_.begin()) {
      const auto below = std::prev(above);
      if (below->first + below->second == offset) {
        offset = below->first;
        size += below->second;
        above = remove(below);
      }
    }
    if (offset + size == top_) {
      top_ = offset;
      return;
    }
    holes_.emplace_hint(above, offset, size);
    by_size_.emplace(size, offset);
  }

 private:
  using Holes = std::map<Units, Units>;

  /// Returns the hole above it.
  Holes::iterator remove(Holes::iterator hole) {
    by_size_.erase({hole->second, hole->first});
    return holes_.erase(hole);
  }

  Units top_;                                    // nothing is used above, and the byte below is
  Holes holes_{};                                // sizes by offset
  std::set<std::pair<Units, Units>> by_size_{};  // sizes and offsets
};

/// A movable item, with its gaps counted as if there were none.
struct Life {
  SectionRange sections{};
  ItemIndex item = 0;
  Units size = 0;
  Units alignment = 1;
};

/// Allocates items in the order of their beginnings. Items that begin together keep their order.
/// Returns false if the time ends before.
bool allocate(std::vector<Life> lives, Units base, Deadline& deadline, Placement& placement) {
  constexpr std::uint64_t kWorkOfItem = 300;
  // What is near in time is near in memory from here on.
  support::sort_by_key(lives, [](const Life& life) { return life.sections.first; });
  std::vector<ItemIndex> ends(lives.size());
  std::iota(ends.begin(), ends.end(), ItemIndex{0});
  support::sort_by_key(ends, [&](ItemIndex i) { return lives[i].sections.last; });
  std::vector<Units> offsets(lives.size());
  Heap heap(base);
  auto next_end = ends.begin();
  for (std::size_t i = 0; i < lives.size(); ++i) {
    if (deadline.ends_after(kWorkOfItem)) return false;
    for (; lives[*next_end].sections.last <= lives[i].sections.first; ++next_end) {
      heap.release(offsets[*next_end], lives[*next_end].size);
    }
    offsets[i] = heap.allocate({.size = lives[i].size, .alignment = lives[i].alignment});
    placement[lives[i].item] = offsets[i];
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
