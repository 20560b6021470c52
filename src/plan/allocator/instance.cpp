#include "plan/allocator/instance.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>

#include "support/error.h"
#include "support/numbers.h"
#include "support/sort_by_key.h"

namespace mlf::plan {
namespace {

/// Units are signed, and a planner adds two heights at most.
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 62;
/// Of the items of all sections, and of the pairs of items: they take 4 and 8 bytes each.
constexpr std::size_t kMostListed = 20'000'000;

[[noreturn]] void fail_buffer(const Buffer& buffer, const std::string& why) {
  throw support::Error(ErrorKind::invalid_input,
                       fmt::format("buffer '{}' {}", printable(buffer.id), why));
}

/// Throws if a buffer is invalid; all later code relies on valid buffers.
void check_buffer(const Buffer& buffer) {
  if (buffer.lower >= buffer.upper) fail_buffer(buffer, "is never alive");
  for (const Interval& gap : buffer.gaps) {
    if (gap.lower >= gap.upper) fail_buffer(buffer, "has an empty gap");
  }
  if (buffer.alignment == 0) fail_buffer(buffer, "has an alignment of 0");
  if (buffer.fixed_offset.value_or(0) % buffer.alignment != 0) {
    fail_buffer(buffer, fmt::format("is fixed at {}, which is not a multiple of its alignment {}",
                                    *buffer.fixed_offset, buffer.alignment));
  }
}

/// Checks that all buffers stacked on each other, each with the largest gap that its alignment can
/// cause, end below the limit. Then no planner can overflow.
void check_sum(const Problem& problem) {
  std::uint64_t sum = 0;
  const auto add = [&](const Buffer& buffer, std::uint64_t bytes) {
    if (bytes >= kMostBytes - sum) {
      fail_buffer(buffer, "brings the sum of sizes and alignments to 2^62 or more");
    }
    sum += bytes;
  };
  for (const Buffer& buffer : problem.buffers) {
    add(buffer, buffer.size);
    add(buffer, buffer.alignment - 1);
    add(buffer, buffer.fixed_offset.value_or(0));
  }
}

/// The largest number that divides all offsets of a compact solution. These are sums of sizes above
/// 0 or above a fixed offset, rounded up to alignments.
std::uint64_t unit_of(const Problem& problem) {
  std::uint64_t unit = 0;
  for (const Buffer& buffer : problem.buffers) {
    unit = std::gcd(std::gcd(unit, buffer.size), buffer.fixed_offset.value_or(0));
  }
  if (unit == 0) return 1;
  // Rounding up to an alignment preserves multiples of the unit if one of the two divides the
  // other.
  for (bool changed = true; changed;) {
    changed = false;
    for (const Buffer& buffer : problem.buffers) {
      if (unit % buffer.alignment == 0 || buffer.alignment % unit == 0) continue;
      unit = std::gcd(unit, buffer.alignment);
      changed = true;
    }
  }
  return unit;
}

/// The beginning or end of a piece of a lifetime.
struct LifeEvent {
  std::int64_t step = 0;
  ItemIndex item = 0;
  bool starts = false;
};

/// Adds the events of a buffer's lifetime without its gaps. Returns false if there are none.
bool add_events(const Buffer& buffer, ItemIndex item, std::vector<LifeEvent>& events) {
  const auto add = [&](const Interval& interval) {
    events.push_back({interval.lower, item, true});
    events.push_back({interval.upper, item, false});
  };
  if (buffer.gaps.empty()) {
    add({buffer.lower, buffer.upper});
    return true;
  }
  const std::vector<Interval> live = live_intervals(buffer);
  std::ranges::for_each(live, add);
  return !live.empty();
}

/// Sorts in order of time. Ends come first, as a buffer is not live at its `upper`.
void sort(std::vector<LifeEvent>& events) {
  support::sort_by_key(events, [](const LifeEvent& event) { return std::uint64_t{event.starts}; });
  support::sort_by_number(events, &LifeEvent::step);
}

/// Finds sections and ranges. Takes events in order.
void find_ranges(Instance& instance, const std::vector<LifeEvent>& events) {
  std::vector<std::size_t> pieces(instance.items.size());
  for (const LifeEvent& event : events) pieces[event.item] += event.starts ? 1u : 0u;
  instance.ranges = Rows<SectionRange>(std::move(pieces));
  bool has_grown = false;
  for (const LifeEvent& event : events) {
    const std::span<SectionRange> ranges = instance.ranges[event.item];
    if (event.starts) {
      has_grown = true;
      // Planners ignore a gap without a section in it.
      const bool continues = !ranges.empty() && ranges.back().last == instance.section_count;
      if (continues) continue;
      instance.ranges.add(event.item, {instance.section_count, instance.section_count});
    } else {
      // Directly before the first end after a start, the set of live items is maximal.
      if (std::exchange(has_grown, false)) ++instance.section_count;
      ranges.back().last = instance.section_count;
    }
  }
}

/// By section: the sum of what `of_item` gives for each of its items.
template <class OfItem>
std::vector<Units> sums_by_section(const Instance& instance, OfItem of_item) {
  std::vector<Units> sums(instance.section_count + 1);
  for (ItemIndex item = 0; item < instance.items.size(); ++item) {
    for (const SectionRange& range : instance.ranges[item]) {
      sums[range.first] += of_item(instance.items[item]);
      sums[range.last] -= of_item(instance.items[item]);
    }
  }
  std::partial_sum(sums.begin(), sums.end(), sums.begin());
  sums.pop_back();
  return sums;
}

/// Lists the items of sections unless they are too many.
void list_sections(Instance& instance) {
  const std::vector<Units> counts = sums_by_section(instance, [](const Item&) { return 1; });
  if (std::accumulate(counts.begin(), counts.end(), std::size_t{0}) > kMostListed) return;
  instance.sections = Rows<ItemIndex>({counts.begin(), counts.end()});
  for (ItemIndex item = 0; item < instance.items.size(); ++item) {
    instance.for_sections(item, [&](SectionIndex s) { instance.sections.add(s, item); });
  }
}

bool begins_in(const Instance& instance, ItemIndex item, SectionIndex section) {
  const std::span<const SectionRange> ranges = instance.ranges[item];
  return std::ranges::find(ranges, section, &SectionRange::first) != ranges.end();
}

/// Two items may meet again after a gap.
bool remove_repetitions(Instance& instance, Deadline& deadline) {
  const auto has_gap = [&](ItemIndex item) { return instance.ranges[item].size() > 1; };
  if (std::ranges::none_of(instance.all_items(), has_gap)) return true;
  for (auto& conflicts : instance.conflicts) {
    if (deadline.ends_after(kWorkOfConflict * conflicts.size())) return false;
    std::sort(conflicts.begin(), conflicts.end());
    conflicts.erase(std::unique(conflicts.begin(), conflicts.end()), conflicts.end());
  }
  return true;
}

/// No plan exists if two fixed buffers that are live together overlap.
class FixedItems {
 public:
  FixedItems(const Problem& problem, const Instance& instance)
      : problem_(problem), instance_(instance) {}

  void check(const std::vector<LifeEvent>& events) {
    if (std::ranges::none_of(instance_.items,
                             [](const Item& one) { return one.fixed.has_value(); })) {
      return;
    }
    for (const LifeEvent& event : events) {
      const Item& item = instance_.items[event.item];
      if (!item.fixed) continue;
      if (event.starts) {
        start(event.item, *item.fixed);
      } else {
        live_.erase(*item.fixed);
      }
    }
  }

 private:
  /// Those that are live do not overlap, so only the nearest ones can overlap another.
  void start(ItemIndex index, Units offset) {
    const auto above = live_.lower_bound(offset);
    if (above != live_.end() && above->first < offset + instance_.items[index].size) {
      refuse(index, above->second);
    }
    if (above != live_.begin()) {
      const auto& [from, below] = *std::prev(above);
      if (from + instance_.items[below].size > offset) refuse(index, below);
    }
    live_.emplace(offset, index);
  }

  [[noreturn]] void refuse(ItemIndex a, ItemIndex b) const {
    const auto buffer_of = [this](ItemIndex item) -> const Buffer& {
      return problem_.buffers[instance_.items[item].buffer];
    };
    fail_buffer(buffer_of(std::max(a, b)),
                fmt::format("is fixed and overlaps '{}', which is fixed as well",
                            printable(buffer_of(std::min(a, b)).id)));
  }

  const Problem& problem_;
  const Instance& instance_;
  std::map<Units, ItemIndex> live_{};  // by offset
};

}  // namespace

std::vector<ItemIndex> Instance::all_items() const {
  std::vector<ItemIndex> all(items.size());
  std::iota(all.begin(), all.end(), ItemIndex{0});
  return all;
}

std::vector<Interval> live_intervals(const Buffer& buffer) {
  std::vector<Interval> live;
  std::vector<Interval> gaps = buffer.gaps;
  gaps.push_back({buffer.upper, buffer.upper});  // the end of what is live
  std::ranges::sort(gaps, {}, &Interval::lower);
  std::int64_t from = buffer.lower;
  for (const Interval& gap : gaps) {
    const std::int64_t to = std::min(gap.lower, buffer.upper);
    if (from < to) live.push_back({from, to});
    from = std::max(from, gap.upper);
  }
  return live;
}

Instance make_instance(const Problem& problem) {
  for (const Buffer& buffer : problem.buffers) check_buffer(buffer);
  check_sum(problem);
  Instance instance;
  instance.unit = unit_of(problem);
  const auto units = [&](std::uint64_t bytes) { return static_cast<Units>(bytes / instance.unit); };
  std::vector<LifeEvent> events;
  events.reserve(2 * problem.buffers.size());
  instance.items.reserve(problem.buffers.size());
  for (std::size_t i = 0; i < problem.buffers.size(); ++i) {
    const Buffer& buffer = problem.buffers[i];
    if (buffer.size == 0 ||
        !add_events(buffer, static_cast<ItemIndex>(instance.items.size()), events)) {
      const std::uint64_t end = buffer.fixed_offset.value_or(0) + buffer.size;
      instance.least_height = std::max(instance.least_height, units(end));
      continue;
    }
    instance.items.push_back(
        {units(buffer.size), std::max<Units>(1, units(buffer.alignment)), std::nullopt, i});
    if (buffer.fixed_offset) instance.items.back().fixed = units(*buffer.fixed_offset);
  }
  sort(events);
  FixedItems(problem, instance).check(events);
  find_ranges(instance, events);
  list_sections(instance);
  return instance;
}

bool list_conflicts(Instance& instance, Deadline& deadline) {
  if (instance.sections.size() < instance.section_count) return false;
  std::size_t count = 0;
  for (ItemIndex item = 0; item < instance.items.size(); ++item) {
    for (const SectionRange& range : instance.ranges[item])
      count += instance.sections[range.first].size();
  }
  if (count > kMostListed) return false;
  instance.conflicts.resize(instance.items.size());
  for (ItemIndex item = 0; item < instance.items.size(); ++item) {
    for (const SectionRange& range : instance.ranges[item]) {
      const std::span<const ItemIndex> section = instance.sections[range.first];
      if (deadline.ends_after(kWorkOfConflict * section.size())) return false;
      // An item that begins later has the pair.
      for (const ItemIndex other : section) {
        if (other >= item && begins_in(instance, other, range.first)) continue;
        instance.conflicts[item].push_back(other);
        instance.conflicts[other].push_back(item);
      }
    }
  }
  return remove_repetitions(instance, deadline);
}

Units height(const Instance& instance, const Placement& placement) {
  Units top = instance.least_height;
  for (std::size_t item = 0; item < placement.size(); ++item) {
    top = std::max(top, placement[item] + instance.items[item].size);
  }
  return top;
}

std::vector<std::uint64_t> offsets_of(const Problem& problem, const Instance& instance,
                                      const Placement& placement) {
  std::vector<std::uint64_t> offsets;
  offsets.reserve(problem.buffers.size());
  for (const Buffer& buffer : problem.buffers) offsets.push_back(buffer.fixed_offset.value_or(0));
  for (std::size_t item = 0; item < placement.size(); ++item) {
    offsets[instance.items[item].buffer] =
        static_cast<std::uint64_t>(placement[item]) * instance.unit;
  }
  return offsets;
}

// --- What every solution needs -------------------------------------------------------------------

std::vector<Units> totals_of(const Instance& instance) {
  return sums_by_section(instance, [](const Item& item) { return item.size; });
}

namespace {

/// Sections that have not been taken.
class FreeSections {
 public:
  explicit FreeSections(SectionIndex count) : next_(count + 1) {
    std::iota(next_.begin(), next_.end(), SectionIndex{0});
  }

  /// The first one at or after `section`; the number of all sections if there is none.
  SectionIndex from(SectionIndex section) {
    while (next_[section] != section) section = next_[section] = next_[next_[section]];
    return section;
  }
  void take(SectionIndex section) { next_[section] = section + 1; }

 private:
  std::vector<SectionIndex> next_;
};

/// Items whose offsets are all multiples of `grid` occupy whole cells of it, except for the topmost
/// item of each section.
Units bound_on_grid(const Instance& instance, Units grid) {
  struct Saving {
    Units units;
    ItemIndex item;
  };
  const auto whole_cells = [&](const Item& item) {
    return item.alignment % grid == 0 ? support::round_up(item.size, grid) : 0;
  };
  std::vector<Units> cells = sums_by_section(instance, whole_cells);
  std::vector<Saving> savings;  // the bytes that a topmost item does not occupy
  for (ItemIndex index = 0; index < instance.items.size(); ++index) {
    const Units saved = whole_cells(instance.items[index]) - instance.items[index].size;
    if (saved > 0) savings.push_back({saved, index});
  }
  // The largest saving of each section counts.
  std::ranges::sort(savings, std::greater(), &Saving::units);
  FreeSections sections(instance.section_count);
  for (const Saving& saving : savings) {
    for (const SectionRange& range : instance.ranges[saving.item]) {
      for (auto s = sections.from(range.first); s < range.last; s = sections.from(s)) {
        cells[s] -= saving.units;
        sections.take(s);
      }
    }
  }
  return *std::ranges::max_element(cells);
}

/// Adds the holes below and between fixed items that are too small for the smallest movable item:
/// nothing can use these bytes.
Units bound_with_holes(const Instance& instance, std::span<const ItemIndex> section) {
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
  // The pool contains everything below the end of the highest fixed item, used or not.
  return std::max(bytes, end);
}

/// Includes the bytes that alignment wastes in one section.
Units bound_of_grids(const Instance& instance, Deadline& deadline) {
  std::set<Units> grids;
  for (const Item& item : instance.items) grids.insert(item.alignment);
  // No network has more alignments than hardware does.
  constexpr std::size_t kMostGrids = 16;
  while (grids.size() > kMostGrids) grids.erase(grids.begin());
  grids.erase(1);  // wastes nothing
  Units bound = 0;
  for (const Units grid : grids) {
    if (deadline.ends_after(instance.items.size() + instance.section_count)) break;
    bound = std::max(bound, bound_on_grid(instance, grid));
  }
  return bound;
}

/// Includes the bytes that fixed buffers waste in one section.
Units bound_of_holes(const Instance& instance, Deadline& deadline) {
  Units bound = 0;
  if (std::ranges::none_of(instance.items, [](const Item& one) { return one.fixed.has_value(); })) {
    return bound;
  }
  for (SectionIndex s = 0; s < instance.sections.size(); ++s) {
    const std::span<const ItemIndex> section = instance.sections[s];
    if (deadline.ends_after(section.size())) break;
    bound = std::max(bound, bound_with_holes(instance, section));
  }
  return bound;
}

}  // namespace

Units lower_bound(const Instance& instance, Deadline& deadline) {
  Units bound = instance.least_height;
  for (const Item& item : instance.items) {
    bound = std::max(bound, item.fixed.value_or(0) + item.size);
  }
  for (const Units total : totals_of(instance)) bound = std::max(bound, total);
  return std::max({bound, bound_of_grids(instance, deadline), bound_of_holes(instance, deadline)});
}

}  // namespace mlf::plan
