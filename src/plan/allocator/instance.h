// A problem prepared for planners: checked, without empty buffers, in units instead of bytes, with
// its conflicts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "mlf/plan/problem.h"
#include "plan/allocator/deadline.h"
#include "support/numbers.h"

namespace mlf::plan {

/// An offset or a size in units of the instance. Signed, and no sum of them overflows.
using Units = std::int64_t;
using ItemIndex = std::uint32_t;
using SectionIndex = std::uint32_t;

/// A buffer with a size and at least one step in which it is live.
struct Item {
  Units size = 0;
  Units alignment = 1;
  std::optional<Units> fixed{};
  std::size_t buffer = 0;  ///< its place in the problem

  /// The lowest offset at or above `offset` that the alignment allows.
  Units aligned(Units offset) const { return support::round_up(offset, alignment); }
};

/// Lists of elements, each of which has a place for so many of them. As vectors of vectors they
/// take longer to make and to free than to use.
template <class Element>
class Rows {
 public:
  Rows() = default;
  explicit Rows(std::vector<std::size_t> capacities)
      : begins_(std::move(capacities)), sizes_(begins_.size()) {
    const std::size_t count = std::accumulate(begins_.begin(), begins_.end(), std::size_t{0});
    std::exclusive_scan(begins_.begin(), begins_.end(), begins_.begin(), std::size_t{0});
    elements_.resize(count);
  }

  std::size_t size() const { return begins_.size(); }
  std::span<const Element> operator[](std::size_t row) const {
    return {elements_.data() + begins_[row], sizes_[row]};
  }
  std::span<Element> operator[](std::size_t row) {
    return {elements_.data() + begins_[row], sizes_[row]};
  }

  void add(std::size_t row, const Element& element) {
    elements_[begins_[row] + sizes_[row]++] = element;
  }

 private:
  std::vector<std::size_t> begins_{};  ///< in `elements_`, by row
  std::vector<std::size_t> sizes_{};
  std::vector<Element> elements_{};
};

/// The sections [first, last).
struct SectionRange {
  SectionIndex first = 0;
  SectionIndex last = 0;

  auto operator<=>(const SectionRange&) const = default;
};

struct Instance {
  std::vector<Item> items;
  /// Sections are the maximal sets of items that are live at the same time, in the order of time.
  /// They leave out a step whose items are all live in a neighbouring step too.
  SectionIndex section_count = 0;
  /// By item: the sections in which it is live, in order; several ranges for an item with gaps.
  Rows<SectionRange> ranges;
  /// By section: its items. Empty if they are too many to be listed.
  Rows<ItemIndex> sections;
  /// By item: the items that are live with it in at least one step. Empty before `list_conflicts`.
  std::vector<std::vector<ItemIndex>> conflicts;
  /// Bytes of a unit. All sizes, fixed offsets and relevant alignments are multiples of it, so some
  /// smallest solution has only offsets that are multiples of it.
  std::uint64_t unit = 1;
  /// The least size of the pool from fixed buffers that are not items, as they are empty or never
  /// live.
  Units least_height = 0;

  /// The sections from the first to the last one of an item, with its gaps.
  SectionRange hull(ItemIndex item) const {
    return {ranges[item].front().first, ranges[item].back().last};
  }

  /// Calls `visit` for each section in which the item is live.
  template <class Visit>
  void for_sections(ItemIndex item, Visit visit) const {
    for (const SectionRange& range : ranges[item]) {
      for (SectionIndex s = range.first; s < range.last; ++s) visit(s);
    }
  }

  /// In the order of the problem.
  std::vector<ItemIndex> all_items() const;
};

/// The steps at which the buffer has content: its lifetime without its gaps, in order.
std::vector<Interval> live_intervals(const Buffer& buffer);

/// Everything but the conflicts. Throws an `Error` for the errors of `solve`.
Instance make_instance(const Problem& problem);

/// Returns false if pairs of items would take too much memory, or if the time ends before.
bool list_conflicts(Instance& instance, Deadline& deadline);

/// Offsets by item.
using Placement = std::vector<Units>;

/// The largest offset + size, buffers that are not items included.
Units height(const Instance& instance, const Placement& placement);

/// Offsets in bytes by buffer; empty buffers and those that are never live are at 0 or at their
/// fixed offset.
std::vector<std::uint64_t> offsets_of(const Problem& problem, const Instance& instance,
                                      const Placement& placement);

/// The sum of the sizes of each section.
std::vector<Units> totals_of(const Instance& instance);

/// A lower bound of every solution, from one section or one fixed item. It may be lower if the time
/// ends before all sections are visited.
Units lower_bound(const Instance& instance, Deadline& deadline);

}  // namespace mlf::plan
