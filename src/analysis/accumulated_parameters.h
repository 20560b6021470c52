// Which parameters of a kernel its operator reduces, in contrast to those that are only combined
// with the result, as the other operand of a fused addition.
#pragma once

#include <cstddef>
#include <optional>
#include <set>

#include "graph/kernels/kernel_code.h"

namespace mlf::analysis {

/// Returns the positions of the parameters whose values reach an accumulation: a store of a value
/// that depends on a load of the same memory. Nothing if there is no accumulation, or if another
/// function or an unknown access may be part of it.
std::optional<std::set<std::size_t>> accumulated_parameters(const graph::KernelCode& code);

}  // namespace mlf::analysis
