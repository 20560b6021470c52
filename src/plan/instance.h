// A problem made ready for planners: checked, without empty buffers, in units instead of bytes,
// with the buffers that are alive together.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "mlf/plan/problem.h"

namespace mlf::plan {

/// An offset or a size in units of the instance. Signed, and no sum of them overflows.
using Units = std::int64_t;
using ItemIndex = std::uint32_t;
using SectionIndex = std::uint32_t;

/// A buffer with a size, and a step at least at which it is alive.
struct Item {
  Units size = 0;
  Units alignment = 1;
  std::optional<Units> fixed{};
  std::size_t buffer = 0;  ///< its place in the problem

  /// The lowest offset at or above `offset` that the alignment allows.
  Units aligned(Units offset) const { return (offset + alignment - 1) / alignment * alignment; }
};

/// The sections [first, last).
struct SectionRange {
  SectionIndex first = 0;
  SectionIndex last = 0;
};

struct Instance {
  std::vector<Item> items;
  /// The largest sets of items that are alive together, in the order of time. A step whose items
  /// are all alive at a neighbouring step as well says nothing new and is in none.
  std::vector<std::vector<ItemIndex>> sections;
  /// By item: where it is alive; more than one range for an item with gaps. In order.
  std::vector<std::vector<SectionRange>> ranges;
  /// By item: the items that are alive at one step with it at least. In order.
  std::vector<std::vector<ItemIndex>> conflicts;
  /// Bytes: all sizes, fixed offsets and alignments that matter are multiples of it, so there is a
  /// solution of the least size with all offsets multiples of it.
  std::uint64_t unit = 1;
  /// What the pool has in any case: the ends of fixed buffers that are not items, as nothing is in
  /// them.
  Units least_height = 0;

  /// The sections from the first to the last one of an item, with its gaps.
  SectionRange hull(ItemIndex item) const {
    return {ranges[item].front().first, ranges[item].back().last};
  }
};

/// Throws an `Error` for what `solve` calls an error.
Instance make_instance(const Problem& problem);

/// Offsets by item.
using Placement = std::vector<Units>;

/// The largest offset + size, buffers that are not items included.
Units height(const Instance& instance, const Placement& placement);

/// Offsets in bytes by buffer; empty buffers and those never alive are at 0 or where they are
/// fixed.
std::vector<std::uint64_t> offsets_of(const Problem& problem, const Instance& instance,
                                      const Placement& placement);

/// What every solution needs, because of one section or one item that is fixed.
Units lower_bound(const Instance& instance);

}  // namespace mlf::plan
