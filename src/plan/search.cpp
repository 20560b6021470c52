// Depth-first search over compact placements, after the ideas of "MiniMalloc: A Lightweight Memory
// Allocator for Hardware-Accelerated Machine Learning" (Moffitt, ASPLOS 2023).
// A placement is compact if no item can move down: every item is at 0, at its fixed offset, or
// directly above an item that is live with it. If a placement within a capacity exists, a compact
// one exists too. To build it, place the items in the order of their offsets, each at the lowest
// offset above all placed items that are live with it. So the search only decides which item is
// next, and never returns to lower offsets.
#include "plan/search.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace mlf::plan {

SearchLimits SearchLimits::from_now() const {
  SearchLimits limits = *this;
  limits.seconds.reset();
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::duration<double> kMost = std::chrono::hours(24 * 365);
  if (!seconds || *seconds >= kMost) return limits;
  // False for NaN as well, which cannot be converted. Very negative numbers cannot either.
  const bool is_any = *seconds > std::chrono::duration<double>(0);
  const auto time =
      is_any ? std::chrono::duration_cast<Clock::duration>(*seconds) : Clock::duration(0);
  const Clock::time_point end = Clock::now() + time;
  if (!limits.deadline || end < *limits.deadline) limits.deadline = end;
  return limits;
}

namespace {

/// A few seconds on a desktop: a step visits each item of its partition.
std::uint64_t default_steps(std::size_t items) {
  return std::clamp<std::uint64_t>(200'000'000 / (items + 100), 1000, 1'000'000);
}

}  // namespace

Effort::Effort(const SearchLimits& limits, std::size_t items, Deadline& deadline)
    : steps_left_(limits.steps.value_or(default_steps(items))),
      work_of_step_(10 * (items + 100)),
      deadline_(deadline) {}

bool Effort::take_step() {
  if (ended_) return false;
  ended_ = steps_left_ == 0 || deadline_.ends_after(work_of_step_);
  if (ended_) return false;
  --steps_left_;
  return true;
}

namespace {

constexpr Units kUnplaced = -1;
constexpr Units kNone = std::numeric_limits<Units>::max();

/// Items that can be placed independently: no unplaced item is live both inside and outside of
/// these sections.
struct Partition {
  SectionRange sections;
  std::size_t first = 0;  ///< in the list of items; those placed since are still there
  std::size_t last = 0;
  std::size_t unplaced = 0;
};

/// A candidate for the next item of a frame.
struct Candidate {
  Units offset = 0;
  std::size_t position = 0;  ///< in the list of items
};

/// A partition under search. The search tries each of its items as the next one; the remaining
/// items split into partitions, and each of these needs a placement.
struct Frame {
  Partition partition;
  Units least_offset = 0;          ///< of the next item: that of the one before
  std::size_t least_position = 0;  ///< of the next item, if it is at that offset
  std::size_t next_candidate = 0;
  std::size_t last_candidate = 0;
  bool last_is_decisive = false;  ///< if it fails with this candidate, it fails with the others too
  Units child_least_offset = 0;
  std::size_t child_least_position = 0;
  std::size_t next_child = 0;
  std::size_t last_child = 0;
  // Sizes of lists, to restore.
  std::size_t undo_mark = 0;
  std::size_t items_mark = 0;
  std::size_t candidates_mark = 0;
  std::size_t children_mark = 0;
};

/// A value before it changed.
struct Change {
  enum class Kind : std::uint8_t { offset, least_offset, floor };
  Kind kind{};
  std::uint32_t index = 0;
  Units before = 0;
};

class Search {
 public:
  Search(const Instance& instance, Units capacity, std::span<const Criterion> order)
      : instance_(instance),
        capacity_(capacity),
        order_(order.begin(), order.end()),
        measures_(instance),
        offsets_(instance.items.size(), kUnplaced),
        floors_(instance.sections.size()),
        crossing_(instance.sections.size()),
        is_touched_(instance.sections.size()) {
    for (ItemIndex item = 0; item < instance.items.size(); ++item) {
      least_offsets_.push_back(instance.items[item].fixed.value_or(0));
      const SectionRange hull = instance.hull(item);
      for (SectionIndex s = hull.first; s + 1 < hull.last; ++s) ++crossing_[s];
    }
    left_ = totals_of(instance);
  }

  SearchResult run(std::uint64_t steps, Effort& effort) {
    enter_root();
    for (;;) {
      Frame& frame = frames_.back();
      if (frame.next_child == frame.last_child) {
        if (frames_.size() == 1) return {Verdict::found, offsets_};
        leave();
        continue;
      }
      if (steps == 0 || !effort.take_step()) return {Verdict::undecided, {}};
      --steps;
      const Partition child = children_[frame.next_child++];
      enter(child, frame.child_least_offset, frame.child_least_position);
      if (!try_next(frames_.back()) && !fail()) return {Verdict::impossible, {}};
    }
  }

 private:
  // --- Placed items and their consequences -------------------------------------------------------

  /// Notes that the least offset of an item in the section has changed.
  void touch(SectionIndex section) {
    if (is_touched_[section]) return;
    is_touched_[section] = true;
    touched_.push_back(section);
  }

  /// Puts an item in its place. False if that leaves too little space for another one.
  bool place(ItemIndex item, Units offset) {
    changes_.push_back({Change::Kind::offset, item, kUnplaced});
    offsets_[item] = offset;
    const Units size = instance_.items[item].size;
    for (const SectionRange& range : instance_.ranges[item]) {
      for (SectionIndex s = range.first; s < range.last; ++s) {
        changes_.push_back({Change::Kind::floor, s, floors_[s]});
        floors_[s] = offset + size;
        left_[s] -= size;
        touch(s);
      }
    }
    const SectionRange hull = instance_.hull(item);
    for (SectionIndex s = hull.first; s + 1 < hull.last; ++s) --crossing_[s];
    const bool fits = raise_neighbours(item, offset + size) && raise_floors();
    for (const SectionIndex s : touched_) is_touched_[s] = false;
    touched_.clear();
    return fits;
  }

  /// Items are placed from the bottom up, so items that are live with this one go above it. False
  /// if one of them no longer fits; a fixed item cannot rise.
  bool raise_neighbours(ItemIndex item, Units top) {
    has_free_neighbours_ = false;
    for (const ItemIndex other : instance_.conflicts[item]) {
      if (!is_free(other)) continue;
      has_free_neighbours_ = true;
      Units& least = least_offsets_[other];
      if (least >= top) continue;
      const Item& raised = instance_.items[other];
      changes_.push_back({Change::Kind::least_offset, other, least});
      least = raised.aligned(top);
      if (raised.fixed || least + raised.size > capacity_) return false;
      for (const SectionRange& range : instance_.ranges[other]) {
        for (SectionIndex s = range.first; s < range.last; ++s) touch(s);
      }
    }
    return true;
  }

  /// Raises the floor of a section to the lowest offset that an item can still have in it.
  bool raise_floors() {
    for (const SectionIndex section : touched_) {
      Units least = kNone;
      for (const ItemIndex item : instance_.sections[section]) {
        if (is_free(item)) least = std::min(least, least_offsets_[item]);
      }
      if (least == kNone) continue;
      if (least > floors_[section]) {
        changes_.push_back({Change::Kind::floor, section, floors_[section]});
        floors_[section] = least;
      }
      if (floors_[section] + left_[section] > capacity_) return false;
    }
    return true;
  }

  /// Whether all other items fit above, given that no item goes below `offset` any more.
  bool has_room(const Partition& partition, Units offset) const {
    for (SectionIndex s = partition.sections.first; s < partition.sections.last; ++s) {
      if (std::max(floors_[s], offset) + left_[s] > capacity_) return false;
    }
    return true;
  }

  void unplace(ItemIndex item) {
    offsets_[item] = kUnplaced;
    for (const SectionRange& range : instance_.ranges[item]) {
      for (SectionIndex s = range.first; s < range.last; ++s)
        left_[s] += instance_.items[item].size;
    }
    const SectionRange hull = instance_.hull(item);
    for (SectionIndex s = hull.first; s + 1 < hull.last; ++s) ++crossing_[s];
  }

  /// Undoes changes in reverse, so each value ends with its original content.
  void undo(std::size_t mark) {
    for (; changes_.size() > mark; changes_.pop_back()) {
      const Change& change = changes_.back();
      switch (change.kind) {
        case Change::Kind::offset:
          unplace(change.index);
          break;
        case Change::Kind::least_offset:
          least_offsets_[change.index] = change.before;
          break;
        case Change::Kind::floor:
          floors_[change.index] = change.before;
          break;
      }
    }
  }

  // --- The tree of choices -----------------------------------------------------------------------

  /// Sorts the free items of a partition into the order of trial. Pressure counts only unplaced
  /// items.
  void rank(Partition& partition) {
    const std::span<ItemIndex> items(items_.data() + partition.first, partition.unplaced);
    measures_.measure_pressure(items, left_);
    measures_.sort(items, order_);
  }

  void enter(const Partition& partition, Units least_offset, std::size_t least_position) {
    Frame frame;
    frame.partition = partition;
    frame.undo_mark = changes_.size();
    frame.items_mark = items_.size();
    frame.candidates_mark = frame.next_candidate = candidates_.size();
    frame.children_mark = frame.next_child = frame.last_child = children_.size();
    frame.least_offset = least_offset;
    frame.least_position = least_position;
    find_candidates(frame);
    frames_.push_back(frame);
  }

  /// Finds the items that can be next: not below the item before, and below the top of every other
  /// one. If an item were above that top, the other one could move down below it; the search finds
  /// that placement elsewhere.
  void find_candidates(Frame& frame) {
    const Partition& partition = frame.partition;
    Units least_top = kNone;
    for (std::size_t position = partition.first; position < partition.last; ++position) {
      const ItemIndex item = items_[position];
      if (!is_free(item)) continue;
      least_top = std::min(least_top, least_offsets_[item] + instance_.items[item].size);
    }
    for (std::size_t position = partition.first; position < partition.last; ++position) {
      const ItemIndex item = items_[position];
      if (!is_free(item)) continue;
      const Units offset = least_offsets_[item];
      const bool is_below_last = offset < frame.least_offset ||
                                 (offset == frame.least_offset && position < frame.least_position);
      if (!is_below_last && offset < least_top) candidates_.push_back({offset, position});
    }
    frame.last_candidate = candidates_.size();
    std::sort(candidates_.begin() + static_cast<std::ptrdiff_t>(frame.next_candidate),
              candidates_.end(), [](const Candidate& a, const Candidate& b) {
                return std::pair(a.offset, a.position) < std::pair(b.offset, b.position);
              });
  }

  /// Places the next candidate that leaves enough space. False if there is none.
  bool try_next(Frame& frame) {
    while (frame.next_candidate < frame.last_candidate && !frame.last_is_decisive) {
      const Candidate chosen = candidates_[frame.next_candidate++];
      const ItemIndex item = items_[chosen.position];
      const bool fits = place(item, chosen.offset);
      // An item without free neighbours takes no space from other items at this place.
      frame.last_is_decisive = !has_free_neighbours_;
      if (fits && has_room(frame.partition, chosen.offset)) {
        fall_apart(frame, chosen);
        return true;
      }
      undo(frame.undo_mark);
    }
    return false;
  }

  /// Splits the items that remain after one item of the frame is placed: the children of the frame.
  void fall_apart(Frame& frame, const Candidate& chosen) {
    const Partition& whole = frame.partition;
    const SectionRange hull = instance_.hull(items_[chosen.position]);
    std::vector<SectionIndex> starts = {whole.sections.first};
    for (SectionIndex s = hull.first; s + 1 < hull.last; ++s) {
      if (crossing_[s] == 0) starts.push_back(s + 1);
    }
    frame.child_least_offset = chosen.offset;
    // A list in a new order has no item before this one.
    frame.child_least_position = 0;
    if (whole.unplaced == 1) return;
    if (starts.size() == 1) {
      Partition rest = whole;
      --rest.unplaced;
      frame.child_least_position = chosen.position;
      children_.push_back(rest);
      frame.last_child = children_.size();
      return;
    }
    divide(frame, starts);
  }

  /// Searches sections separately if no free item spans them: their times add up instead of
  /// multiplying.
  void divide(Frame& frame, const std::vector<SectionIndex>& starts) {
    const Partition whole = frame.partition;
    for (std::size_t part = 0; part < starts.size(); ++part) {
      Partition child;
      child.sections = {starts[part],
                        part + 1 < starts.size() ? starts[part + 1] : whole.sections.last};
      child.first = items_.size();
      for (std::size_t position = whole.first; position < whole.last; ++position) {
        const ItemIndex item = items_[position];
        const SectionIndex from = instance_.hull(item).first;
        if (is_free(item) && child.sections.first <= from && from < child.sections.last) {
          items_.push_back(item);
        }
      }
      child.last = items_.size();
      child.unplaced = child.last - child.first;
      if (child.unplaced == 0) continue;
      rank(child);
      children_.push_back(child);
    }
    frame.last_child = children_.size();
    // A small partition that fails does so quickly.
    std::stable_sort(
        children_.begin() + static_cast<std::ptrdiff_t>(frame.next_child), children_.end(),
        [](const Partition& a, const Partition& b) { return a.unplaced < b.unplaced; });
  }

  /// Ends the last frame, after success or failure.
  void leave() {
    const Frame& frame = frames_.back();
    items_.resize(frame.items_mark);
    candidates_.resize(frame.candidates_mark);
    children_.resize(frame.children_mark);
    frames_.pop_back();
  }

  /// The last frame has no candidates left, so the frame above it must try another one, or else the
  /// frame above that. False if no frame remains.
  bool fail() {
    for (leave(); !frames_.empty(); leave()) {
      Frame& frame = frames_.back();
      undo(frame.undo_mark);
      items_.resize(frame.items_mark);
      children_.resize(frame.children_mark);
      frame.next_child = frame.last_child = frame.children_mark;
      if (try_next(frame)) return true;
    }
    return false;
  }

  /// The root is a frame without candidates; its children are the partitions of the problem.
  void enter_root() {
    Frame root;
    root.partition.sections = {0, static_cast<SectionIndex>(instance_.sections.size())};
    for (ItemIndex item = 0; item < instance_.items.size(); ++item) items_.push_back(item);
    root.partition.last = root.partition.unplaced = items_.size();
    std::vector<SectionIndex> starts = {0};
    for (SectionIndex s = 0; s + 1 < instance_.sections.size(); ++s) {
      if (crossing_[s] == 0) starts.push_back(s + 1);
    }
    divide(root, starts);
    frames_.push_back(root);
  }

  bool is_free(ItemIndex item) const { return offsets_[item] == kUnplaced; }

  const Instance& instance_;
  const Units capacity_;
  const std::vector<Criterion> order_;
  Measures measures_;

  Placement offsets_;
  std::vector<Units> least_offsets_{};  ///< by item: above all placed items that it is alive with
  std::vector<Units> floors_{};         ///< by section: nothing more fits below
  std::vector<Units> left_{};           ///< by section: sizes of what is not placed
  std::vector<std::uint32_t> crossing_{};  ///< by section: items not placed that reach the next one
  std::vector<Change> changes_{};
  std::vector<SectionIndex> touched_{};  ///< sections of which a least offset rose in this step
  std::vector<bool> is_touched_{};
  bool has_free_neighbours_ = false;  ///< of the item placed last

  std::vector<Frame> frames_{};
  std::vector<ItemIndex> items_{};  ///< of all partitions of the frames, each in its order
  std::vector<Candidate> candidates_{};
  std::vector<Partition> children_{};
};

}  // namespace

SearchResult search(const Instance& instance, Units capacity, std::span<const Criterion> order,
                    std::uint64_t steps, Effort& effort) {
  return Search(instance, capacity, order).run(steps, effort);
}

}  // namespace mlf::plan
