#include "plan/allocator/skyline.h"

#include <algorithm>
#include <limits>

#include "support/mixed_bits.h"

namespace mlf::plan {
namespace {

constexpr Units kNoFreeItem = std::numeric_limits<Units>::max();

constexpr auto increment = [](auto& count) { ++count; };
constexpr auto decrement = [](auto& count) { --count; };

}  // namespace

std::uint64_t scrambled(std::uint64_t number) {
  return support::mixed_bits(number + support::kGoldenRatio);
}

/// Adds a free item to the counts, or removes it. `step` adds 1 to a count, or subtracts 1.
template <class Step>
void Skyline::count_free(ItemIndex item, Step step) {
  const SectionRange hull = instance_.hull(item);
  for (SectionIndex s = hull.first; s + 1 < hull.last; ++s) step(crossing_[s]);
  step(free_items_);
  step(beginning_[hull.first]);
  free_keys_[hull.first] ^= scrambled(item);
}

Skyline::Skyline(const Instance& instance, Units capacity)
    : instance_(instance),
      capacity_(capacity),
      placement_(instance.items.size(), kFree),
      floors_(instance.sections.size()),
      tops_(instance.sections.size()),
      left_(totals_of(instance)),
      at_floor_(instance.sections.size()),
      crossing_(instance.sections.size()),
      beginning_(instance.sections.size()),
      free_keys_(instance.sections.size()) {
  for (ItemIndex item = 0; item < instance.items.size(); ++item) {
    least_offsets_.push_back(instance.items[item].fixed.value_or(0));
    count_free(item, increment);
  }
  for (SectionIndex s = 0; s < instance.sections.size() && is_sound_; ++s) settle(s, 0);
}

// --- Changes -------------------------------------------------------------------------------------

void Skyline::fail_in(SectionIndex section) {
  if (is_sound_) overfull_section_ = section;
  is_sound_ = false;
}

void Skyline::place(ItemIndex item) {
  const Units offset = least_offsets_[item];
  const Units size = instance_.items[item].size;
  changes_.push_back({Change::ChangedValue::placement, item, 0, kFree});
  placement_[item] = offset;
  count_free(item, decrement);
  instance_.for_sections(item, [&](SectionIndex s) {
    left_[s] -= size;
    if (floors_[s] == offset) --at_floor_[s];
  });
  instance_.for_sections(item, [&](SectionIndex s) {
    if (!is_sound_) return;
    changes_.push_back({Change::ChangedValue::top, s, 0, tops_[s]});
    tops_[s] = offset + size;
    settle(s, offset + size);
  });
  settle_deserted();
}

void Skyline::leave_empty(SectionIndex section) {
  const Units floor = next_floor(section);
  if (floor == kNoFreeItem || floor + left_[section] > capacity_) return fail_in(section);
  settle(section, floor);
  settle_deserted();
  if (is_sound_ && has_hole_for_item_in(section)) fail_in(section);
}

/// Raises a floor to `floor` or to the least offset above it, and the free items below `floor`.
void Skyline::settle(SectionIndex section, Units floor) {
  Units least = kNoFreeItem;
  std::uint32_t count = 0;
  for (const ItemIndex item : instance_.sections[section]) {
    if (!is_free(item)) continue;
    if (least_offsets_[item] < floor && !raise(item, floor)) return fail_in(section);
    const Units offset = least_offsets_[item];
    if (offset < least) {
      least = offset;
      count = 0;
    }
    if (offset == least) ++count;
  }
  changes_.push_back({Change::ChangedValue::floor, section, at_floor_[section], floors_[section]});
  floors_[section] = least == kNoFreeItem ? floor : least;
  at_floor_[section] = count;
  if (floors_[section] + left_[section] > capacity_) fail_in(section);
}

/// Raises a free item to a floor. False if it cannot be there.
bool Skyline::raise(ItemIndex index, Units floor) {
  const Item& item = instance_.items[index];
  const Units before = least_offsets_[index];
  changes_.push_back({Change::ChangedValue::least_offset, index, 0, before});
  least_offsets_[index] = item.aligned(floor);
  instance_.for_sections(index, [&](SectionIndex s) {
    if (floors_[s] == before && --at_floor_[s] == 0) deserted_.push_back(s);
  });
  return !item.fixed && least_offsets_[index] + item.size <= capacity_;
}

/// Raises floors at which no free item is left. That raises no item.
void Skyline::settle_deserted() {
  for (const SectionIndex section : deserted_) {
    if (is_sound_ && at_floor_[section] == 0) settle(section, floors_[section]);
  }
  deserted_.clear();
}

void Skyline::undo(std::size_t mark) {
  for (; changes_.size() > mark; changes_.pop_back()) {
    const Change change = changes_.back();
    switch (change.kind) {
      case Change::ChangedValue::placement: {
        const Units offset = placement_[change.index];
        instance_.for_sections(change.index, [&](SectionIndex s) {
          left_[s] += instance_.items[change.index].size;
          if (floors_[s] == offset) ++at_floor_[s];
        });
        count_free(change.index, increment);
        placement_[change.index] = kFree;
        break;
      }
      case Change::ChangedValue::least_offset:
        instance_.for_sections(change.index, [&](SectionIndex s) {
          if (floors_[s] == change.before) ++at_floor_[s];
        });
        least_offsets_[change.index] = change.before;
        break;
      case Change::ChangedValue::floor:
        floors_[change.index] = change.before;
        at_floor_[change.index] = change.at_floor;
        break;
      case Change::ChangedValue::top:
        tops_[change.index] = change.before;
        break;
    }
  }
  is_sound_ = true;
}

// --- Consequences --------------------------------------------------------------------------------

/// The least offset that an item of the section can have, if none begins at the floor. An item that
/// could begin there lies on another item instead, which is alive with it.
Units Skyline::next_floor(SectionIndex section) const {
  Units least = kNoFreeItem;
  for (const ItemIndex item : instance_.sections[section]) {
    if (!is_free(item)) continue;
    if (!is_at_floor(item, section)) {
      least = std::min(least, least_offsets_[item]);
      continue;
    }
    for (const ItemIndex below : instance_.conflicts[item]) {
      if (is_free(below)) {
        least = std::min(least, least_offsets_[below] + instance_.items[below].size);
      }
    }
  }
  return least;
}

bool Skyline::has_hole_for_item_in(SectionIndex section) const {
  return std::ranges::any_of(instance_.sections[section], [&](ItemIndex index) {
    const Item& item = instance_.items[index];
    if (!is_free(index) || item.fixed) return false;
    Units top = 0;
    Units floor = kNoFreeItem;
    instance_.for_sections(index, [&](SectionIndex s) {
      top = std::max(top, tops_[s]);
      floor = std::min(floor, floors_[s]);
    });
    return item.aligned(top) + item.size <= floor;
  });
}

/// Tops are part of the state, because they limit the holes.
StateKey Skyline::key_of(SectionRange sections) const {
  std::uint64_t sum = scrambled(sections.first);
  std::uint64_t other = scrambled(sections.last);
  for (SectionIndex s = sections.first; s < sections.last; ++s) {
    // No step waits for that of the section before.
    std::uint64_t key = static_cast<std::uint64_t>(floors_[s]) * support::kGoldenRatio + s;
    key = (key ^ (key >> 32)) * 0xbf58476d1ce4e5b9u + static_cast<std::uint64_t>(tops_[s]);
    key = (key ^ (key >> 29)) * 0x94d049bb133111ebu + free_keys_[s];
    sum += key ^ (key >> 32);
    other ^= key * 0xd6e8feb86659fd93u;
  }
  return {sum, other};
}

}  // namespace mlf::plan
