// The arrays on the stack in which packed calls hand over their arguments.
#pragma once

#include "mlf/analysis/cost.h"
#include "mlf/tir/module.h"

namespace mlf::analysis {

/// Bytes of the arrays of TVMValue, type code, DLTensor and shape that a main with packed calls
/// has on the stack while it runs; 0 for a main that calls functions of C. They are as TVM's code
/// generator lays them out, on a host with pointers of 64 bits: `TVMValue stack[18]`.
Count packed_arguments(tir::Node main);

}  // namespace mlf::analysis
