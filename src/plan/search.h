// The exact search for a placement within a capacity.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "plan/deadline.h"
#include "plan/instance.h"
#include "plan/item_order.h"

namespace mlf::plan {

/// The steps and the time that all searches for one problem share.
class Effort {
 public:
  /// `items` is the number of items of the problem: a step visits each of its partition.
  Effort(const SearchLimits& limits, std::size_t items, Deadline& deadline);

  /// Takes one step. Returns false once none is left.
  bool take_step();
  bool ended() const { return ended_; }

 private:
  std::uint64_t steps_left_;
  std::uint64_t work_of_step_;
  Deadline& deadline_;
  bool ended_ = false;
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

/// Searches a placement of at most `capacity`. `order` determines which items are tried first. It
/// affects only whether `steps` suffice, not the result.
SearchResult search(const Instance& instance, Units capacity, std::span<const Criterion> order,
                    std::uint64_t steps, Effort& effort);

}  // namespace mlf::plan
