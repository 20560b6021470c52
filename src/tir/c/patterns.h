// Expressions that stand for one operator of the IR.
#pragma once

#include <optional>

#include "mlf/tir/module.h"
#include "tir/node_queries.h"
#include "tir/text/expr_factory.h"

namespace mlf::tir::c {

struct Division {
  Kind kind;  ///< FloorDiv or FloorMod
  NodeId a;
  NodeId b;
};

/// The floor division that `left + right` computes with truncating ones:
/// `(a / b) + ((a % b) >> 31)` and `(a % b) + (b & ((a % b) >> 31))`, 63 for 64 bits.
std::optional<Division> floor_division(text::ExprFactory& make, NodeId left, NodeId right);

/// The floor division that a choice computes where the sign of the divisor is not known, or the
/// integers are short: `(a % b) >= 0 ? (a / b) : ((a / b) - 1)`, `… : ((a % b) + b)`.
std::optional<Division> floor_choice(text::ExprFactory& make, NodeId condition, NodeId on_true,
                                     NodeId on_false);

}  // namespace mlf::tir::c
