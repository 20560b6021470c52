// Counts the iterations of loops that meet conditions without running them.
#pragma once

#include <cstdint>
#include <optional>

#include "graph/kernels/iteration_domain.h"

namespace mlf::analysis {

/// The number of iterations of the innermost loop in which all tests are met. Ranges of
/// the loops are halved until each test surely holds or surely fails in all of a range: few times
/// where a condition is affine.
///
/// Nothing where a bound is no number, where a test has no value, or where `steps` do not suffice,
/// from which the steps are taken.
std::optional<std::uint64_t> count_in_boxes(const graph::CountedNest& nest, std::uint64_t& steps);

}  // namespace mlf::analysis
