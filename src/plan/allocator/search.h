// The exact search for a placement within a capacity.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "plan/allocator/deadline.h"
#include "plan/allocator/instance.h"
#include "plan/allocator/item_order.h"

namespace mlf::plan {

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
