// The arrays on the stack in which packed calls pass arguments.
#pragma once

#include "mlf/analysis/cost.h"
#include "mlf/tir/module.h"

namespace mlf::analysis {

/// Bytes of the arrays of TVMValue, type code, DLTensor and shape that a main with packed calls has
/// on the stack while it runs; 0 for a main with plain C calls. The layout is that of TVM's code
/// generator on a host with 64-bit pointers: `TVMValue stack[18]`.
Count packed_arguments(tir::Node main);

}  // namespace mlf::analysis
