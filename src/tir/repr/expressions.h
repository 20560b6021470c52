// Expressions of the repr text: syntax to values in one loop, and what a place makes of a value;
// statements around them. Dtypes are those of the printed constants and casts; the rest is inferred
// once a function is read.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tir/repr/context.h"

namespace mlf::tir::repr {

/// The value of a parsed expression; values hold until the end of the statement.
Value lower(Context& c, SyntaxId root);

// --- Values as what a place asks for, which fail at anything else: expressions.cpp -------------

NodeId as_expr(Context& c, const Value& value);
inline NodeId as_expr(Context& c, SyntaxId root) {
  return as_expr(c, lower(c, root));
}
/// Of a list, or of the indices of an element.
std::vector<NodeId> as_exprs(Context& c, const Value& list);
/// As an attribute holds it: strings are String, dtypes types.
NodeId as_attribute(Context& c, const Value& value);
NodeId as_var(Context& c, const Value& value);
std::vector<NodeId> as_vars(Context& c, const Value& list);
/// The buffer that `A[i, j]` is an element of.
NodeId buffer_of(Context& c, const Value& element);
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

// --- What is printed as a call: expressions.cpp ------------------------------------------------

/// Whether a word is a function of expressions, but for operators, casts and broadcasts.
bool is_printed_function(std::string_view word);
enum class Binding : std::uint8_t { fresh, known };
/// An IterVar around a new variable, or around the one that is already in use.
NodeId as_iter_var(Context& c, const Value& value, Binding binding);

// --- Statements: statements.cpp ----------------------------------------------------------------

/// The body of a function, from its opening to its closing brace.
NodeId read_body(Context& c);

// --- What a function leaves unsaid: inference.cpp -------------------------------------------

/// Sets the dtypes of the nodes from `first` on. The text has those of constants, casts and
/// allocations alone: what is added, compared or stored together has one dtype, and where nothing
/// says which, it is what such a thing mostly is.
void infer_dtypes(Context& c, std::uint32_t first);
/// Sets the extents of buffers, of which the text has the indices alone: as many elements as are
/// loaded and stored by the nodes from `first` on, as far as loops with constant bounds tell.
void infer_shapes(Context& c, std::uint32_t first);

// --- Values of attributes: attributes.cpp -------------------------------------------------------

/// Reads the value at the lexer's token and leaves the lexer behind it. `(nullptr)` is none.
NodeId read_attribute(Context& c);
/// The same for a map with names as keys.
std::vector<NamedNode> read_attribute_map(Context& c);

}  // namespace mlf::tir::repr
