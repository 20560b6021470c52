#include "plan/allocator/item_order.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <utility>

namespace mlf::plan {

namespace {

/// By item: how many pieces of other lifetimes meet it.
std::vector<Units> conflicts_of(const Instance& instance) {
  // Pieces that begin, and end, before a section or at its beginning.
  std::vector<Units> begun(instance.section_count + 1);
  std::vector<Units> ended(instance.section_count + 1);
  for (ItemIndex item = 0; item < instance.items.size(); ++item) {
    for (const SectionRange& range : instance.ranges[item]) {
      ++begun[range.first + 1];
      ++ended[range.last];
    }
  }
  std::partial_sum(begun.begin(), begun.end(), begun.begin());
  std::partial_sum(ended.begin(), ended.end(), ended.begin());
  std::vector<Units> conflicts(instance.items.size());
  for (ItemIndex item = 0; item < conflicts.size(); ++item) {
    for (const SectionRange& range : instance.ranges[item]) {
      conflicts[item] += begun[range.last] - ended[range.first] - 1;
    }
  }
  return conflicts;
}

/// The largest of some numbers in a row, in a tree of maxima.
class Maxima {
 public:
  explicit Maxima(std::vector<Units> numbers) : count_(numbers.size()), tree_(std::move(numbers)) {
    tree_.insert(tree_.begin(), count_, 0);
    for (std::size_t i = count_; i-- > 1;) tree_[i] = std::max(tree_[2 * i], tree_[2 * i + 1]);
  }

  Units of(const SectionRange& range) const {
    Units most = 0;
    std::size_t first = count_ + range.first;
    std::size_t last = count_ + range.last;
    for (; first < last; first /= 2, last /= 2) {
      if (first % 2 == 1) most = std::max(most, tree_[first++]);
      if (last % 2 == 1) most = std::max(most, tree_[--last]);
    }
    return most;
  }

 private:
  std::size_t count_;
  std::vector<Units> tree_;
};

}  // namespace

Measures::Measures(const Instance& instance)
    : instance_(instance),
      conflicts_(conflicts_of(instance)),
      lifetime_(instance.items.size()),
      pressure_(instance.items.size()) {
  const Maxima totals(totals_of(instance));
  for (ItemIndex item = 0; item < instance.items.size(); ++item) {
    for (const SectionRange& range : instance.ranges[item]) {
      lifetime_[item] += range.last - range.first;
      // The busiest section shows how much freedom an item leaves to others.
      pressure_[item] = std::max(pressure_[item], totals.of(range));
    }
  }
}

/// For every criterion, an item with a larger measure comes earlier.
Units Measures::measure(Criterion criterion, ItemIndex item) const {
  const Units size = instance_.items[item].size;
  switch (criterion) {
    case Criterion::size:
      return size;
    case Criterion::conflicts:
      return conflicts_[item];
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
