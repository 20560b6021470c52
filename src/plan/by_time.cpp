#include "plan/by_time.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
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
    remove(from);
    const Units offset = item.aligned(from);
    release(from, offset - from);
    release(offset + item.size, from + size - offset - item.size);
    return offset;
  }

  void release(Units offset, Units size) {
    if (size == 0) return;
    const auto above = holes_.lower_bound(offset);
    if (above != holes_.end() && above->first == offset + size) {
      size += above->second;
      remove(above->first);
    }
    const auto next = holes_.lower_bound(offset);
    if (next != holes_.begin()) {
      const auto [from, bytes] = *std::prev(next);
      if (from + bytes == offset) {
        remove(from);
        offset = from;
        size += bytes;
      }
    }
    if (offset + size == top_) {
      top_ = offset;
      return;
    }
    holes_.emplace(offset, size);
    by_size_.emplace(size, offset);
  }

 private:
  void remove(Units from) {
    const auto hole = holes_.find(from);
    by_size_.erase({hole->second, from});
    holes_.erase(hole);
  }

  Units top_;                                    // nothing is used above, and the byte below is
  std::map<Units, Units> holes_{};               // sizes by offset
  std::set<std::pair<Units, Units>> by_size_{};  // sizes and offsets
};

/// Allocates items with these lifetimes in the order of their beginnings. Items that begin together
/// keep the order of `order`.
void allocate(const Instance& instance, const std::vector<SectionRange>& lives,
              std::vector<ItemIndex> order, Units base, Placement& placement) {
  std::vector<ItemIndex> ends = order;
  std::ranges::stable_sort(order, {}, [&](ItemIndex i) { return lives[i].first; });
  std::ranges::stable_sort(ends, {}, [&](ItemIndex i) { return lives[i].last; });
  Heap heap(base);
  auto next_end = ends.begin();
  for (const ItemIndex index : order) {
    for (; lives[*next_end].last <= lives[index].first; ++next_end) {
      heap.release(placement[*next_end], instance.items[*next_end].size);
    }
    placement[index] = heap.allocate(instance.items[index]);
  }
}

}  // namespace

Placement in_order_of_time(const Instance& instance, SectionIndex from) {
  Placement placement(instance.items.size());
  Units base = 0;
  std::vector<ItemIndex> movable;
  // Gaps count as if there were none.
  std::vector<SectionRange> lives;
  for (ItemIndex index = 0; index < placement.size(); ++index) {
    const Item& item = instance.items[index];
    lives.push_back(instance.hull(index));
    placement[index] = item.fixed.value_or(0);
    if (item.fixed) {
      base = std::max(base, *item.fixed + item.size);
    } else {
      movable.push_back(index);
    }
  }
  // What is freed first is on top.
  std::ranges::stable_sort(movable, std::greater{},
                           [&](ItemIndex i) { return lives[i].last - lives[i].first; });
  const auto allocate_from = [&](SectionIndex section) {
    std::vector<ItemIndex> order;
    for (const ItemIndex index : movable) {
      if (lives[index].last > section) order.push_back(index);
    }
    std::vector<SectionRange> rests = lives;
    for (SectionRange& rest : rests) rest.first = std::max(rest.first, section);
    allocate(instance, rests, std::move(order), base, placement);
  };
  allocate_from(from);
  // Those that are live in the section get the same offsets again.
  for (SectionRange& life : lives) {
    life = {instance.section_count - life.last, instance.section_count - life.first};
  }
  allocate_from(instance.section_count - 1 - from);
  return placement;
}

}  // namespace mlf::plan
