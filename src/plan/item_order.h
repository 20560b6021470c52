// The orders in which planners take items.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "plan/instance.h"

namespace mlf::plan {

enum class Criterion : std::uint8_t {
  size,
  conflicts,  ///< number of items that are live with it
  lifetime,   ///< number of sections
  area,       ///< size times lifetime
  pressure,   ///< largest sum of sizes of a section in which it is live
  begin,
  end,
};

/// The most criteria of one order.
inline constexpr std::size_t kMostCriteria = 3;

/// The sum of the sizes of each section.
std::vector<Units> totals_of(const Instance& instance);

/// The criteria that items are compared by.
class Measures {
 public:
  explicit Measures(const Instance& instance);

  /// Takes the pressure of `items` from these sums by section.
  void measure_pressure(std::span<const ItemIndex> items, std::span<const Units> totals);

  /// Sorts by the first criterion, largest first; the next criterion decides between equals, and
  /// finally the order of the problem.
  void sort(std::span<ItemIndex> items, std::span<const Criterion> criteria) const;

 private:
  Units measure(Criterion criterion, ItemIndex item) const;

  const Instance& instance_;
  std::vector<Units> lifetime_;
  std::vector<Units> pressure_;
};

}  // namespace mlf::plan
