// Expressions of the repr text: syntax to values in one loop, and what a place makes of a value.
// Dtypes are those of the printed constants and casts; inference.h settles the rest once a function
// is read.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tir/repr/context.h"

namespace mlf::tir::repr {

/// The value of a parsed expression; values hold until the end of the statement.
Value lower(Context& c, SyntaxId root);

// --- Values as what a place asks for, which fail at anything else: conversions.cpp -------------

NodeId as_expr(Context& c, const Value& value);
inline NodeId as_expr(Context& c, SyntaxId root) {
  return as_expr(c, lower(c, root));
}
std::vector<NodeId> as_exprs(Context& c, const Value& list);
/// As an attribute holds it: strings are String, dtypes types.
NodeId as_attribute(Context& c, const Value& value);
NodeId as_var(Context& c, const Value& value);
std::vector<NodeId> as_vars(Context& c, const Value& list);
/// A number of lanes: a constant, or from v0.16 on a multiple of vscale.
NodeId as_lanes(Context& c, const Value& value);
/// The buffer that `A[i, j]` is an element of, and its indices.
NodeId buffer_of(Context& c, const Value& element);
std::vector<NodeId> indices_of(Context& c, const Value& element);
NodeId as_buffer(Context& c, const Value& value);
NodeId as_region(Context& c, const Value& value);
/// `[min, extent]`, as bounds of a realize or prefetch are printed.
NodeId as_bounds(Context& c, const Value& list);
NodeId as_range(Context& c, const Value& value);
/// What no statement defines is a variable that the function has from elsewhere.
NodeId look_up(Context& c, const Value& name);
/// `(nullptr)`
bool is_null(Context& c, const Value& value);
/// `a op b`, with the dtype of a number that is printed without one.
NodeId make_binary(Context& c, Kind kind, NodeId a, NodeId b);

// --- What is printed as a call: calls.cpp ------------------------------------------------------

/// An operator, or a node that is printed as a call: the callee, then the arguments.
NodeId read_call(Context& c, SyntaxId id, std::span<const Value> values);
NodeId make_broadcast(Context& c, SyntaxId id, NodeId value, NodeId lanes);
enum class Binding : std::uint8_t { fresh, known };
/// An IterVar around a new variable, or around the one that is already in use.
NodeId as_iter_var(Context& c, const Value& value, Binding binding);

}  // namespace mlf::tir::repr
