// Depth-first search over compact placements: every item is at 0, at its fixed offset, or directly
// above an item that is live with it. If a placement within a capacity exists, a compact one exists
// too. Among these is one with the least sum of offsets; the search skips only others.
//
// The search fills sections of time from the bottom up. It picks a section and decides which item
// lies on its floor, or that none does and some bytes are lost. So it can stay at the section that
// is hardest to fill: choices elsewhere, which do not matter to it, are not made before. What was
// hard is learned, and a run that takes too long is stopped and begun again with that knowledge, as
// solvers of Boolean formulas do.
//
// Bounds of sections, independent parts and the rule against holes are those of "MiniMalloc: A
// Lightweight Memory Allocator for Hardware-Accelerated Machine Learning" (Moffitt, ASPLOS 2023).
#include "plan/allocator/search.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include "plan/allocator/skyline.h"

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

/// How many items a step visits: all of each section of the item that it places.
std::uint64_t visits_of_step(const Instance& instance) {
  std::uint64_t visits = 0;
  for (SectionIndex s = 0; s < instance.sections.size(); ++s) {
    visits += instance.sections[s].size() * instance.sections[s].size();
  }
  return visits / std::max<std::size_t>(1, instance.items.size());
}

/// A few seconds on a desktop: a step visits each section of its part too. None for so many items
/// that the steps would not place all of them.
std::uint64_t default_steps(const Instance& instance) {
  const std::size_t items = instance.items.size();
  const std::uint64_t steps = std::min<std::uint64_t>(
      {200'000'000 / (items + 100), 1'000'000, 4'000'000'000 / (visits_of_step(instance) + 1)});
  return steps < items ? 0 : steps;
}

}  // namespace

Effort::Effort(const SearchLimits& limits, const Instance& instance, Deadline& deadline)
    : steps_left_(limits.steps ? *limits.steps : default_steps(instance)),
      work_of_step_(10 * (instance.items.size() + 100)),
      deadline_(deadline),
      ended_(steps_left_ == 0) {}

bool Effort::take_step() {
  if (ended_) return false;
  ended_ = steps_left_ == 0 || deadline_.ends_after(work_of_step_);
  if (ended_) return false;
  --steps_left_;
  return true;
}

namespace {

/// The choice that no item lies on the floor.
constexpr ItemIndex kNoItem = std::numeric_limits<ItemIndex>::max();

/// By item: the item before it that differs in nothing, so that only the first of these that is
/// free needs to be tried.
std::vector<ItemIndex> twins_of(const Instance& instance) {
  std::vector<ItemIndex> order = instance.all_items();
  const auto key = [&](ItemIndex item) {
    const auto& [size, alignment, fixed, buffer] = instance.items[item];
    return std::tie(size, alignment, fixed);
  };
  const auto compare = [&](ItemIndex a, ItemIndex b) {
    const auto by_key = key(a) <=> key(b);
    const std::span<const SectionRange> x = instance.ranges[a];
    const std::span<const SectionRange> y = instance.ranges[b];
    return by_key != 0
               ? by_key
               : std::lexicographical_compare_three_way(x.begin(), x.end(), y.begin(), y.end());
  };
  std::ranges::stable_sort(order, [&](ItemIndex a, ItemIndex b) { return compare(a, b) < 0; });
  std::vector<ItemIndex> twins(order.size(), kNoItem);
  for (std::size_t i = 1; i < order.size(); ++i) {
    if (compare(order[i - 1], order[i]) == 0) twins[order[i]] = order[i - 1];
  }
  return twins;
}

/// By section: the size of its smallest item. No hole that it allows costs less.
std::vector<Units> smallest_sizes(const Instance& instance) {
  std::vector<Units> sizes;
  for (SectionIndex s = 0; s < instance.sections.size(); ++s) {
    Units least = std::numeric_limits<Units>::max();
    for (const ItemIndex item : instance.sections[s])
      least = std::min(least, instance.items[item].size);
    sizes.push_back(least);
  }
  return sizes;
}

}  // namespace

class Search::Tree {
 public:
  Tree(const Instance& instance, Units capacity)
      : instance_(instance),
        measures_(instance),
        twins_(twins_of(instance)),
        smallest_(smallest_sizes(instance)),
        skyline_(instance, capacity),
        failures_(instance.sections.size(), 1),
        fewest_free_(instance.items.size()),
        good_offsets_(instance.items.size(), -1) {}

  SearchResult run(const Strategy& strategy, std::uint64_t steps, Effort& effort) {
    if (!skyline_.is_sound()) return {Verdict::impossible, {}};
    restart(strategy);
    for (;;) {
      Level& level = levels_.back();
      if (level.next_child == level.last_child) {
        if (levels_.size() == 1) return {Verdict::found, skyline_.placement()};
        leave();
        continue;
      }
      if (steps == 0 || !effort.take_step()) return {Verdict::undecided, {}};
      --steps;
      enter(children_[level.next_child++]);
      if (!try_next(levels_.back()) && !fail()) return {Verdict::impossible, {}};
    }
  }

 private:
  /// Sections that can be filled independently: no free item is live both inside and outside of
  /// them.
  struct Part {
    SectionRange sections;
    std::size_t free = 0;  ///< number of items
  };

  /// A part under search, and the choices for the floor of one of its sections. After a choice,
  /// what remains of the part is its children, and each of them needs a placement.
  struct Level {
    Part part;
    StateKey key{};
    SectionIndex section = 0;
    std::size_t next_choice = 0;
    std::size_t last_choice = 0;
    std::size_t next_child = 0;
    std::size_t last_child = 0;
    // Sizes of lists, to restore.
    std::size_t undo_mark = 0;
    std::size_t choices_mark = 0;
    std::size_t children_mark = 0;
  };

  /// The root is a level without choices; its children are the parts of the problem.
  void restart(const Strategy& strategy) {
    if (!levels_.empty()) skyline_.undo(levels_.front().undo_mark);
    levels_.clear();
    choices_.clear();
    children_.clear();
    strategy_ = strategy;
    rank();
    forget();
    Level root;
    root.undo_mark = skyline_.mark();
    root.part.sections.last = static_cast<SectionIndex>(instance_.sections.size());
    split(root, root.part.sections);
    levels_.push_back(root);
  }

  /// Numbers the items in the order of trial.
  void rank() {
    std::vector<ItemIndex> order = instance_.all_items();
    measures_.sort(order, strategy_.order);
    std::vector<std::pair<std::uint64_t, ItemIndex>> keys;
    const std::uint64_t reach = order.size() / 50 + 1;
    for (std::size_t i = 0; i < order.size(); ++i) {
      keys.emplace_back(i + scrambled(strategy_.seed << 32 | order[i]) % reach, order[i]);
    }
    std::ranges::sort(keys);
    ranks_.resize(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) ranks_[keys[i].second] = i;
  }

  /// What is learned last counts most: what is hard depends on what was tried.
  void forget() {
    for (std::uint64_t& failures : failures_) failures = 1 + failures / 2;
    fewest_free_ += instance_.items.size() / 50 + 1;
  }

  /// Remembers offsets if no state placed more items recently.
  void note_offsets() {
    if (skyline_.free_items() >= fewest_free_) return;
    fewest_free_ = skyline_.free_items();
    for (ItemIndex item = 0; item < good_offsets_.size(); ++item) {
      if (!skyline_.is_free(item)) good_offsets_[item] = skyline_.least_offset(item);
    }
  }

  // --- The tree of choices -----------------------------------------------------------------------

  /// A state that is known to lead nowhere gets no choices.
  void enter(const Part& part) {
    Level level;
    level.part = part;
    level.key = skyline_.key_of(part.sections);
    level.undo_mark = skyline_.mark();
    level.choices_mark = level.next_choice = choices_.size();
    level.children_mark = level.next_child = level.last_child = children_.size();
    if (!dead_ends_.contains(level.key)) {
      level.section = lowest_below(pick_section(part.sections));
      find_choices(level.section);
    }
    level.last_choice = choices_.size();
    levels_.push_back(level);
  }

  SectionIndex pick_section(SectionRange sections) const {
    SectionIndex best = sections.last;
    for (SectionIndex s = sections.first; s < sections.last; ++s) {
      if (skyline_.items_at_floor(s) == 0) continue;
      if (best == sections.last || is_before(s, best)) best = s;
    }
    return best;
  }

  bool is_before(SectionIndex a, SectionIndex b) const {
    if (strategy_.focus == Focus::lowest) return skyline_.floor(a) < skyline_.floor(b);
    return choices_in(a) * failures_[b] < choices_in(b) * failures_[a];
  }

  std::uint64_t choices_in(SectionIndex section) const {
    const bool may_be_empty = skyline_.slack(section) >= smallest_[section];
    return skyline_.items_at_floor(section) + (may_be_empty ? 1u : 0u);
  }

  /// If an item on the floor reaches over a lower floor, another item may have to be placed below
  /// it first. Goes down to a section where that is not so.
  SectionIndex lowest_below(SectionIndex section) const {
    for (;;) {
      SectionIndex lowest = section;
      for (const ItemIndex item : instance_.sections[section]) {
        if (!skyline_.is_at_floor(item, section)) continue;
        instance_.for_sections(item, [&](SectionIndex s) {
          if (skyline_.floor(s) < skyline_.floor(lowest)) lowest = s;
        });
      }
      if (lowest == section) return section;
      section = lowest;
    }
  }

  void find_choices(SectionIndex section) {
    const auto first = static_cast<std::ptrdiff_t>(choices_.size());
    for (const ItemIndex item : instance_.sections[section]) {
      const bool has_twin = twins_[item] != kNoItem && skyline_.is_free(twins_[item]);
      if (skyline_.is_at_floor(item, section) && !has_twin) choices_.push_back(item);
    }
    const auto key = [this](ItemIndex item) {
      const bool is_good = good_offsets_[item] == skyline_.least_offset(item);
      return std::pair(!(strategy_.repeats && is_good), ranks_[item]);
    };
    std::sort(choices_.begin() + first, choices_.end(),
              [&](ItemIndex a, ItemIndex b) { return key(a) < key(b); });
    choices_.push_back(kNoItem);
  }

  /// Makes the next choice that leaves enough space. False if there is none.
  bool try_next(Level& level) {
    while (level.next_choice < level.last_choice) {
      const ItemIndex chosen = choices_[level.next_choice++];
      if (chosen == kNoItem) {
        skyline_.leave_empty(level.section);
      } else {
        skyline_.place(chosen);
      }
      if (skyline_.is_sound()) {
        split(level, chosen == kNoItem ? SectionRange{} : instance_.hull(chosen));
        return true;
      }
      ++failures_[skyline_.overfull_section()];
      skyline_.undo(level.undo_mark);
    }
    return false;
  }

  /// Makes the children of a level: its sections, split where an item in `hull` was the last to
  /// connect them.
  void split(Level& level, SectionRange hull) {
    SectionIndex from = level.part.sections.first;
    const auto add_until = [&](SectionIndex to) {
      Part part{{from, to}, 0};
      for (SectionIndex s = from; s < to; ++s) part.free += skyline_.free_beginning_in(s);
      if (part.free > 0) children_.push_back(part);
      from = to;
    };
    for (SectionIndex s = hull.first; s + 1 < hull.last; ++s) {
      if (skyline_.ends_apart(s)) add_until(s + 1);
    }
    add_until(level.part.sections.last);
    level.last_child = children_.size();
    // A small part that fails does so quickly.
    std::stable_sort(children_.begin() + static_cast<std::ptrdiff_t>(level.next_child),
                     children_.end(), [](const Part& a, const Part& b) { return a.free < b.free; });
  }

  /// Ends the last level, after success or failure.
  void leave() {
    const Level& level = levels_.back();
    choices_.resize(level.choices_mark);
    children_.resize(level.children_mark);
    levels_.pop_back();
  }

  /// The last level has no choices left, so the level above it must make another one, or else the
  /// level above that. False if only the root remains.
  bool fail() {
    note_offsets();
    for (;;) {
      dead_ends_.insert(levels_.back().key);
      leave();
      if (levels_.size() == 1) return false;
      Level& level = levels_.back();
      skyline_.undo(level.undo_mark);
      children_.resize(level.children_mark);
      level.next_child = level.last_child = level.children_mark;
      if (try_next(level)) return true;
    }
  }

  const Instance& instance_;
  const Measures measures_;
  const std::vector<ItemIndex> twins_;
  const std::vector<Units> smallest_;

  Skyline skyline_;
  Strategy strategy_{};
  std::vector<std::size_t> ranks_{};  ///< by item, in the order of trial
  std::vector<Level> levels_{};
  std::vector<ItemIndex> choices_{};  ///< of all levels
  std::vector<Part> children_{};      ///< of all levels

  // What is learned.
  StateSet dead_ends_{};
  std::vector<std::uint64_t> failures_;  ///< by section, from 1
  std::size_t fewest_free_;              ///< items not placed in the best state
  Placement good_offsets_;               ///< by item, in the best state that placed it
};

Search::Search(const Instance& instance, Units capacity)
    : tree_(std::make_unique<Tree>(instance, capacity)) {}

Search::Search(Search&&) noexcept = default;
Search& Search::operator=(Search&&) noexcept = default;
Search::~Search() = default;

SearchResult Search::run(const Strategy& strategy, std::uint64_t steps, Effort& effort) {
  return tree_->run(strategy, steps, effort);
}

}  // namespace mlf::plan
