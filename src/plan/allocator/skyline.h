// What follows from the items that are placed so far, if items are placed from the bottom up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "plan/allocator/instance.h"

namespace mlf::plan {

/// Two numbers that tell states of a skyline apart.
using StateKey = std::pair<std::uint64_t, std::uint64_t>;

/// Spreads a number over 64 bits.
std::uint64_t scrambled(std::uint64_t number);

/// The state of a search: an item is placed, or it is free. A section has a floor, and no free item
/// is placed below it. The least offset of a free item is the first one above the floors of its
/// sections. The floor of a section is the smallest least offset of its free items: none of them
/// can use the bytes below.
class Skyline {
 public:
  Skyline(const Instance& instance, Units capacity);

  /// Whether the free items of each section may still fit above its floor. The calls below keep it
  /// up to date; a state that is not sound must be undone.
  bool is_sound() const { return is_sound_; }
  /// The section without enough space, if the state is not sound.
  SectionIndex overfull_section() const { return overfull_section_; }

  /// Places a free item at its least offset.
  void place(ItemIndex item);
  /// Decides that no item begins at the floor of a section from which no free item at the floor
  /// reaches over a lower one. The state is not sound either if an item could then move down into
  /// the hole, because another choice leads to that placement.
  void leave_empty(SectionIndex section);
  /// A place in the list of changes, to undo all later ones.
  std::size_t mark() const { return changes_.size(); }
  void undo(std::size_t mark);

  bool is_free(ItemIndex item) const { return placement_[item] == kFree; }
  bool is_at_floor(ItemIndex item, SectionIndex section) const {
    return is_free(item) && least_offsets_[item] == floors_[section];
  }
  Units least_offset(ItemIndex item) const { return least_offsets_[item]; }
  Units floor(SectionIndex section) const { return floors_[section]; }
  /// The number of free items at the floor; 0 only if no item is free.
  std::uint32_t items_at_floor(SectionIndex section) const { return at_floor_[section]; }
  /// The bytes of a section that may still be lost.
  Units slack(SectionIndex section) const { return capacity_ - floors_[section] - left_[section]; }
  /// Whether no free item is live on both sides of the end of a section.
  bool ends_apart(SectionIndex section) const { return crossing_[section] == 0; }
  /// The number of free items that begin in the section.
  std::uint32_t free_beginning_in(SectionIndex section) const { return beginning_[section]; }
  /// A key of everything on which the search in these sections depends. No free item may be live
  /// both inside and outside of them.
  StateKey key_of(SectionRange sections) const;
  /// The number of items that are not placed.
  std::size_t free_items() const { return free_items_; }
  /// The offsets of all items, if none is free.
  const Placement& placement() const { return placement_; }

 private:
  static constexpr Units kFree = -1;

  /// A value before it changed.
  struct Change {
    enum class ChangedValue : std::uint8_t { placement, least_offset, floor, top };
    ChangedValue kind{};
    std::uint32_t index = 0;
    std::uint32_t at_floor = 0;
    Units before = 0;
  };

  bool raise(ItemIndex index, Units floor);
  void settle(SectionIndex section, Units floor);
  void settle_deserted();
  bool has_hole_for_item_in(SectionIndex section) const;
  Units next_floor(SectionIndex section) const;
  void fail_in(SectionIndex section);
  template <class Step>
  void count_free(ItemIndex item, Step step);

  const Instance& instance_;
  const Units capacity_;
  Placement placement_;
  std::vector<Units> least_offsets_{};
  std::vector<Units> floors_;
  std::vector<Units> tops_;  ///< by section: of the items placed there
  std::vector<Units> left_;  ///< by section: sizes of its free items
  std::vector<std::uint32_t> at_floor_;
  std::vector<std::uint32_t> crossing_;
  std::vector<std::uint32_t> beginning_;
  std::vector<std::uint64_t> free_keys_;  ///< of the free items that begin in the section
  std::vector<Change> changes_{};
  std::vector<SectionIndex> deserted_{};  ///< sections whose last item at the floor has risen
  std::size_t free_items_ = 0;
  bool is_sound_ = true;
  SectionIndex overfull_section_ = 0;
};

}  // namespace mlf::plan
