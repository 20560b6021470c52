// The exact search for a placement within a capacity.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "plan/allocator/deadline.h"
#include "plan/allocator/instance.h"
#include "plan/allocator/item_order.h"
#include "plan/allocator/skyline.h"

namespace mlf::plan {

/// States that are known to lead nowhere: a table with one place for each key, where the last one
/// stays: a search forgets some states rather than take more memory. Compares states by their keys
/// of 128 bits. Two states of one search with equal keys are less likely than a memory error of the
/// machine.
class StateSet {
 public:
  bool contains(const StateKey& key) const { return places_[place_of(key)] == key; }

  void insert(const StateKey& key) {
    constexpr std::size_t kMostPlaces = std::size_t{1} << 18;
    if (inserted_ == places_.size() && places_.size() < kMostPlaces) grow();
    ++inserted_;
    places_[place_of(key)] = key;
  }

 private:
  std::size_t place_of(const StateKey& key) const { return key.first % places_.size(); }

  void grow() {
    const std::vector<StateKey> before = std::exchange(places_, {});
    places_.resize(4 * before.size());
    for (const StateKey& key : before) places_[place_of(key)] = key;
  }

  std::vector<StateKey> places_ = std::vector<StateKey>(256);  // an empty place is {0, 0}
  std::size_t inserted_ = 0;
};

/// The steps and the time that all searches for one problem share.
class Effort {
 public:
  Effort(const SearchLimits& limits, const Instance& instance, Deadline& deadline);

  /// Takes one step. Returns false once none is left.
  bool take_step();
  bool ended() const { return ended_; }

 private:
  std::uint64_t steps_left_;
  std::uint64_t work_of_step_;
  Deadline& deadline_;
  bool ended_;
};

enum class Verdict : std::uint8_t {
  found,
  impossible,  ///< there is no placement within the capacity
  undecided,   ///< the steps were not enough to know
};

struct SearchResult {
  Verdict verdict = Verdict::undecided;
  Placement placement{};  ///< if found
};

/// Which section is filled next.
enum class Focus : std::uint8_t {
  hardest,  ///< with the fewest choices for the number of times that it had not enough space
  lowest,   ///< with the lowest floor
};

/// How one run of a search decides. It affects only whether the steps suffice, not the verdict.
struct Strategy {
  std::span<const Criterion> order{};  ///< the items that are tried first
  Focus focus = Focus::hardest;
  bool repeats = false;    ///< whether an item is tried first where the best state had it
  std::uint64_t seed = 0;  ///< exchanges items that are close to each other in the order
};

/// The search for a placement of at most `capacity`. Each run starts again, and knows what earlier
/// runs learned: states that lead nowhere, sections that are hard to fill, good places of items.
class Search {
 public:
  Search(const Instance& instance, Units capacity);
  Search(Search&&) noexcept;
  Search& operator=(Search&&) noexcept;
  ~Search();

  SearchResult run(const Strategy& strategy, std::uint64_t steps, Effort& effort);

 private:
  class Tree;
  std::unique_ptr<Tree> tree_;
};

}  // namespace mlf::plan
