// Problems from a seed, for tests that hold for every problem.
#pragma once

#include <random>

#include "mlf/plan/problem.h"

namespace mlf::plan {

/// What random problems have; sizes are few, so that many buffers are of one size.
struct ProblemShape {
  int buffers = 8;  ///< at most
  int steps = 12;
  int largest = 10;  ///< size
  bool aligned = false;
  bool gaps = false;
  bool fixed = false;  ///< some buffers, never two that overlap
};

Problem random_problem(const ProblemShape& shape, std::mt19937& random);

/// The least size of a plan, by trying every way of putting one buffer on top of others. Shares no
/// code with the planners. For 8 buffers or so.
std::uint64_t least_size_by_brute_force(const Problem& problem);

}  // namespace mlf::plan
