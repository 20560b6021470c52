// Whether two kernels are the same program, or the same statements, whatever things are called in
// them.
// Threads: functions have no shared state; any number of threads may call them at once.
#pragma once

#include <cstdint>

#include "mlf/export.h"
#include "mlf/tir/module.h"

namespace mlf::analysis {

/// A number that is equal for PrimFuncs with the same parameters, buffers, constants and body.
/// Names of variables, buffers and blocks, the function's attributes, the place of a constant in
/// the list of its module, and how expressions are shared do not count. Two different programs have
/// the same number with a chance of 2^-64. Time and memory grow with the number of nodes.
MLF_API std::uint64_t fingerprint(tir::Node prim_func);

/// The same without the values of numbers: equal for PrimFuncs of the same statements over tensors
/// of any extents, with any data. The convolutions of a network that repeats a block with more
/// channels have one shape, those with another stride have not.
MLF_API std::uint64_t statement_shape(tir::Node prim_func);

}  // namespace mlf::analysis
