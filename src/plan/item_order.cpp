#include "plan/item_order.h"

#include <algorithm>
#include <array>
#include <cstddef>

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
/// machine. Measures each item once.
void Measures::sort(std::span<ItemIndex> items, std::span<const Criterion> criteria) const {
  struct Key {
    std::array<Units, kMostCriteria> measures{};
    ItemIndex item = 0;
  };
  std::vector<Key> keys(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    keys[i].item = items[i];
    for (std::size_t k = 0; k < criteria.size(); ++k) {
      keys[i].measures[k] = measure(criteria[k], items[i]);
    }
  }
  std::sort(keys.begin(), keys.end(), [](const Key& a, const Key& b) {
    if (a.measures != b.measures) return a.measures > b.measures;
    return a.item < b.item;
  });
  std::ranges::transform(keys, items.begin(), &Key::item);
}

}  // namespace mlf::plan
