// Expressions of the repr text: one loop that turns syntax into values, conversions of values to
// the expected nodes, and the statements around them. Printed constants and casts state dtypes; the
// reader infers the others after a whole function.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tir/repr/context.h"

namespace mlf::tir::repr {

/// The value of a parsed expression; valid until the end of the statement.
ParsedValue lower(Context& c, SyntaxId root);

// --- Values as what a place asks for, which fail at anything else: expressions.cpp -------------

NodeId as_expr(Context& c, const ParsedValue& value);
inline NodeId as_expr(Context& c, SyntaxId root) {
  return as_expr(c, lower(c, root));
}
/// The elements of a list, or the indices of a subscript.
std::vector<NodeId> as_exprs(Context& c, const ParsedValue& list);
/// The node for an attribute: strings become String, dtypes become types.
NodeId as_attribute(Context& c, const ParsedValue& value);
NodeId as_var(Context& c, const ParsedValue& value);
std::vector<NodeId> as_vars(Context& c, const ParsedValue& list);
/// The buffer A of an element `A[i, j]`.
NodeId buffer_of(Context& c, const ParsedValue& element);
NodeId as_buffer(Context& c, const ParsedValue& value);
NodeId as_region(Context& c, const ParsedValue& value);
/// `[min, extent]`, the printed form of the bounds of a realize or prefetch.
NodeId as_bounds(Context& c, const ParsedValue& list);
NodeId as_range(Context& c, const ParsedValue& value);
/// The node of a name. If no statement defines it, it is a variable from outside the function.
NodeId look_up(Context& c, const ParsedValue& name);
/// `(nullptr)`
bool is_null(Context& c, const ParsedValue& value);
/// `a op b`. Gives a number without a printed dtype the dtype of the other operand.
NodeId make_binary(Context& c, Kind kind, NodeId a, NodeId b);

// --- What is printed as a call: expressions.cpp ------------------------------------------------

/// Whether a word is a function of expressions other than an operator, cast or broadcast.
bool is_printed_function(std::string_view word);
enum class Binding : std::uint8_t { fresh, known };
/// An IterVar of a new variable, or of the variable that is already in use.
NodeId as_iter_var(Context& c, const ParsedValue& value, Binding binding);

// --- Statements: statements.cpp ----------------------------------------------------------------

/// The body of a function, from its opening to its closing brace.
NodeId read_body(Context& c);

// --- What a function leaves unsaid: inference.cpp -------------------------------------------

/// Sets the dtypes of the nodes from `first` on. The text states only the dtypes of constants,
/// casts and allocations. Expressions that are added, compared or stored together have one dtype.
/// If nothing states it, assumes the usual dtype for such an expression.
void infer_dtypes(Context& c, std::uint32_t first);
/// Sets the extents of buffers, of which the text contains only the indices: as many elements as
/// the nodes from `first` on load and store, as far as loops with constant bounds determine it.
void infer_shapes(Context& c, std::uint32_t first);

// --- Values of attributes: attributes.cpp -------------------------------------------------------

/// Reads the value at the lexer's token and moves the lexer past it. `(nullptr)` is `none`.
NodeId read_attribute(Context& c);
/// The same for a map with names as keys.
std::vector<NamedNode> read_attribute_map(Context& c);

}  // namespace mlf::tir::repr
