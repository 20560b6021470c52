// Lowers a plan of many buffers by solving short pieces of time again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "mlf/plan/problem.h"
#include "plan/allocator/deadline.h"

namespace mlf::plan {

/// Returns the offsets of a problem within its capacity, or nullopt if it finds none.
using PartSolver = std::function<std::optional<std::vector<std::uint64_t>>(const Problem&)>;

/// Windows of time around buffers. The buffers that live within a window can move, while those that
/// are live beyond it stay where they are, so a change in a window affects no other.
class Windows {
 public:
  Windows(const Problem& problem, Deadline& deadline);

  /// Moves buffers until all of them end at or below `target`. Returns the new offsets, or nullopt
  /// if the solver fails for the largest window around some buffer, or if the time ends before.
  std::optional<std::vector<std::uint64_t>> lower(std::vector<std::uint64_t> offsets,
                                                  std::uint64_t target,
                                                  const PartSolver& solver) const;

 private:
  struct State;
  struct Part;

  std::optional<Part> window(State& state, std::size_t center, std::size_t reach) const;
  bool place(State& state, std::size_t center, const PartSolver& solver) const;
  template <class Visit>
  void for_live(const Interval& window, Visit visit) const;

  const Problem& problem_;
  Deadline& deadline_;
  std::vector<std::size_t> by_begin_;        ///< buffers in order of their beginnings
  std::vector<std::int64_t> last_uppers_{};  ///< a tree of the largest ends of lifetimes
  std::size_t leaves_ = 1;
};

}  // namespace mlf::plan
