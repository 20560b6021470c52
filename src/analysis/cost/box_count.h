// Counts the iterations of loops that meet conditions, without running them.
#pragma once

#include <cstdint>
#include <optional>

#include "graph/kernels/iteration_domain.h"

namespace mlf::analysis {

/// Returns the number of iterations of the innermost loop in which all tests hold. Halves the
/// ranges of the loops until each test certainly holds or certainly fails in a whole range, which
/// takes few steps for affine conditions.
///
/// Returns nullopt if a bound is not a number, if a test has no value, or if `steps` do not
/// suffice. Subtracts its steps from `steps`.
std::optional<std::uint64_t> count_in_boxes(const graph::CountedNest& nest, std::uint64_t& steps);

}  // namespace mlf::analysis
