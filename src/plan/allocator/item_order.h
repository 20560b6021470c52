// The orders in which planners take items.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "plan/allocator/instance.h"

namespace mlf::plan {

enum class Criterion : std::uint8_t {
  size,
  conflicts,  ///< number of pieces of lifetimes that it is live with
  lifetime,   ///< number of sections
  area,       ///< size times lifetime
  pressure,   ///< largest sum of sizes of a section in which it is live
  begin,
  end,
};

/// The most criteria of one order.
inline constexpr std::size_t kMostCriteria = 3;

/// The criteria that items are compared by.
class Measures {
 public:
  explicit Measures(const Instance& instance);

  /// Sorts by the first criterion, largest first; the next criterion decides between equals, and
  /// finally the order of the problem.
  void sort(std::span<ItemIndex> items, std::span<const Criterion> criteria) const;

 private:
  Units measure(Criterion criterion, ItemIndex item) const;

  const Instance& instance_;
  std::vector<Units> conflicts_;
  std::vector<Units> lifetime_;
  std::vector<Units> pressure_;
};

}  // namespace mlf::plan
