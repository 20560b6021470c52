// Whether a kernel does anything beside reading and writing the memory that it is given.
#pragma once

#include "mlf/tir/module.h"

namespace mlf::plan {

/// Whether all that the PrimFunc calls is known to have no effect of its own: arithmetic, functions
/// of the C library's math.h, and workspaces of TVM's runtime. Of any other function nobody knows
/// whether it may be called earlier or later.
bool has_no_other_effects(tir::Node function);

}  // namespace mlf::plan
