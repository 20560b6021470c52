// What every solution needs: the busiest section, with what alignment and fixed buffers waste
// there.
#include <algorithm>
#include <numeric>
#include <set>
#include <vector>

#include "plan/instance.h"

namespace mlf::plan {
namespace {

/// Items whose offsets are all multiples of `grid` take whole cells of it, but for the one on top.
Units bound_on_grid(const Instance& instance, const std::vector<ItemIndex>& section, Units grid) {
  Units cells = 0;
  Units saved_on_top = 0;
  for (const ItemIndex index : section) {
    const Item& item = instance.items[index];
    if (item.alignment % grid != 0) continue;
    const Units whole = (item.size + grid - 1) / grid * grid;
    cells += whole;
    saved_on_top = std::max(saved_on_top, whole - item.size);
  }
  return cells - saved_on_top;
}

/// Holes below and between fixed items in which not even the smallest movable item fits are
/// bytes that nothing takes.
Units bound_with_holes(const Instance& instance, const std::vector<ItemIndex>& section) {
  Units bytes = 0;
  Units smallest = std::numeric_limits<Units>::max();
  std::vector<std::pair<Units, Units>> fixed;
  for (const ItemIndex index : section) {
    const Item& item = instance.items[index];
    bytes += item.size;
    if (item.fixed) {
      fixed.emplace_back(*item.fixed, *item.fixed + item.size);
    } else {
      smallest = std::min(smallest, item.size);
    }
  }
  std::sort(fixed.begin(), fixed.end());
  Units end = 0;
  for (const auto& [from, to] : fixed) {
    const Units hole = from - end;
    if (hole < smallest) bytes += hole;
    end = to;
  }
  // Everything below the highest fixed item is there, taken or not.
  return std::max(bytes, end);
}

}  // namespace

Units lower_bound(const Instance& instance) {
  std::set<Units> grids;
  for (const Item& item : instance.items) grids.insert(item.alignment);
  // More alignments than hardware has are no network.
  constexpr std::size_t kMostGrids = 16;
  while (grids.size() > kMostGrids) grids.erase(grids.begin());
  Units bound = instance.least_height;
  for (const auto& section : instance.sections) {
    bound = std::max(bound, bound_with_holes(instance, section));
    for (const Units grid : grids) bound = std::max(bound, bound_on_grid(instance, section, grid));
  }
  return bound;
}

}  // namespace mlf::plan
