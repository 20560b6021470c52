// Calls, hooks and copies of main, whatever their form (rules R4, R5, R9).
#pragma once

#include <optional>

#include "graph/main/main_body.h"
#include "graph/scope.h"

namespace mlf::graph {

/// Whether the node is a call of a function, not of an operator or of the runtime.
bool is_kernel_call(tir::Node node);

/// The call of a function in an expression: itself, or what tvm_check_return or a comparison with
/// its result holds. Undefined where there is none.
tir::Node call_inside(tir::Node expr);

/// A call into the device API: "TVMDevice<Kind><Phase>".
std::optional<RawHook> device_hook(tir::Node call, const Scope& scope);

/// Reads a call of a function with its arguments as tensors; nothing where it calls no function.
std::optional<RawCall> decode_call(tir::Node call, const Scope& scope);

/// A loop that copies bytes or elements in order, from one tensor to another. Binds its lets.
std::optional<RawCopy> copy_loop(tir::Node loop, Scope& scope);

}  // namespace mlf::graph
