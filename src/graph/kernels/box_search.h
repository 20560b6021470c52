// The iterations of loops that meet conditions, without running them one by one: looks at boxes, a
// range of each loop, and halves them until their tests certainly hold or certainly fail, which
// takes few steps for affine conditions.
#pragma once

#include <cstdint>
#include <optional>

#include "graph/kernels/iteration_domain.h"

namespace mlf::graph {

/// The number of iterations of the innermost loop in which all tests hold; nullopt if a bound is
/// not a number, if a test has no value, or if `steps` do not suffice. Subtracts its steps.
std::optional<std::uint64_t> count_in_boxes(const CountedNest& nest, std::uint64_t& steps);

/// The highest value that a sum certainly has in an iteration in which all tests hold.
struct HighestValue {
  bool is_known = false;              ///< false: it may have any value
  std::optional<std::int64_t> value;  ///< nothing, though known: there is no such iteration
};

/// That of the sum of the terms. Subtracts its steps.
HighestValue highest_in_boxes(const CountedNest& nest, std::uint64_t& steps);

}  // namespace mlf::graph
