// Whether the functions that kernels call are known.
#pragma once

#include <string>

#include "mlf/tir/module.h"

namespace mlf::graph {

/// The function that a call is of and whose code is not here: empty for operators of TIR, and for
/// operators and functions that callees.def has. Whatever it names may do anything with memory.
std::string unknown_callee(tir::Node call);

}  // namespace mlf::graph
