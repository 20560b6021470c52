#include "plan/item_order.h"

#include <algorithm>

namespace mlf::plan {

std::vector<Units> totals_of(const Instance& instance) {
  std::vector<Units> totals;
  for (const auto& section : instance.sections) {
    Units total = 0;
    for (const ItemIndex item : section) total += instance.items[item].size;
    totals.push_back(total);
  }
  return totals;
}

/// All measures except pressure are constant during placement.
Measures::Measures(const Instance& instance)
    : instance_(instance), lifetime_(instance.items.size()), pressure_(instance.items.size()) {
  for (ItemIndex item = 0; item < instance.items.size(); ++item) {
    for (const SectionRange& range : instance.ranges[item]) {
      lifetime_[item] += range.last - range.first;
    }
  }
  measure_pressure(instance.all_items(), totals_of(instance));
}

/// The busiest section of an item's lifetime shows how much freedom it leaves to others.
void Measures::measure_pressure(std::span<const ItemIndex> items, std::span<const Units> totals) {
  for (const ItemIndex item : items) {
    pressure_[item] = 0;
    instance_.for_sections(
        item, [&](SectionIndex s) { pressure_[item] = std::max(pressure_[item], totals[s]); });
  }
}

/// For every criterion, an item with a larger measure comes earlier.
Units Measures::measure(Criterion criterion, ItemIndex item) const {
  const Units size = instance_.items[item].size;
  switch (criterion) {
    case Criterion::size:
      return size;
    case Criterion::conflicts:
      return static_cast<Units>(instance_.conflicts[item].size());
    case Criterion::lifetime:
      return lifetime_[item];
    case Criterion::area: {
      // The value only orders items; areas beyond 62 bits count as equal.
      constexpr Units kMost = Units{1} << 62;
      return size > kMost / lifetime_[item] ? kMost : size * lifetime_[item];
    }
    case Criterion::pressure:
      return pressure_[item];
    case Criterion::begin:
      return instance_.hull(item).first;
    case Criterion::end:
      return instance_.hull(item).last;
  }
  return 0;
}

/// The final criterion distinguishes all items, so one problem gives the same order on every
/// machine.
void Measures::sort(std::span<ItemIndex> items, std::span<const Criterion> criteria) const {
  std::sort(items.begin(), items.end(), [&](ItemIndex a, ItemIndex b) {
    for (const Criterion criterion : criteria) {
      const Units of_a = measure(criterion, a);
      const Units of_b = measure(criterion, b);
      if (of_a != of_b) return of_a > of_b;
    }
    return a < b;
  });
}

}  // namespace mlf::plan
