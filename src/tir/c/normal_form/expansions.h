// What TVM's host passes make of operators that C has no name for.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "tir/c/versions.h"
#include "tir/text/expr_factory.h"

namespace mlf::tir::c {

/// The expression that is printed for a call of `op`; nothing for an operator that is printed as a
/// call, or with an operator of C. A choice in it is made as `ternary` says. Source: the default
/// legalisation of intrinsics.
std::optional<NodeId> expand(text::ExprFactory& make, std::string_view op, DType dtype,
                             std::span<const NodeId> args, Ternary ternary);

}  // namespace mlf::tir::c
