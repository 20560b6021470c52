// Which calls of a kernel do nothing but compute, and which may do anything.
#pragma once

#include <optional>
#include <string>

#include "mlf/tir/module.h"

namespace mlf::plan {

/// The function that a call runs, where nobody knows what it does: it may keep the pointers that it
/// is given beyond the call, and have effects elsewhere, so that no other call may pass it. Nothing
/// for operators of TIR, functions of math.h, workspaces of TVM's runtime, TVM's micro kernels and
/// those of CMSIS-NN: they compute, and are done with their pointers when they return.
std::optional<std::string> unknown_callee(tir::Node call);

/// Whether TIR says that the call has no effects, whatever it runs (call_pure_extern). It might
/// still hand back a pointer that it is given.
bool is_pure(tir::Node call);

}  // namespace mlf::plan
