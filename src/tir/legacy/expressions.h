// Expressions of the legacy text: one loop that turns syntax into values, conversions of values to
// the expected nodes, and the statements around them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tir/legacy/context.h"

namespace mlf::tir::legacy {

/// The value of a parsed expression; valid until the end of the statement.
Value lower(Context& c, SyntaxId root);
/// The parts of a subscript: what it subscribes, then the indices.
std::vector<Value> lower_subscript_parts(Context& c, SyntaxId root);

// --- Syntax and values in messages: conversions.cpp --------------------------------------------

/// The name of a called function or subscripted value; empty for anything else.
std::string_view head_of(const Context& c, SyntaxId id);
/// The arguments of a call with `count` of them; any other number is an error that shows `form`.
std::vector<SyntaxId> arguments_of(const Context& c, SyntaxId call, std::size_t count,
                                   std::string_view form);
/// Whether it is `left sign right`.
inline bool is_binary(const Context& c, SyntaxId id, Sign sign) {
  return c.values.is(id, SyntaxKind::binary) && c.values.syntax(id).sign == sign;
}
/// The text for a message, shortened if it is long.
std::string shown(const Context& c, SyntaxId id);
/// Fails at a value that is not `what`.
[[noreturn]] void fail_expected(const Context& c, const Value& value, std::string_view what);

// --- Values as what a place asks for, which fail at anything else: conversions.cpp -------------

NodeId as_expr(Context& c, const Value& value);
NodeId as_expr(Context& c, SyntaxId root);
std::vector<NodeId> as_exprs(Context& c, const Value& list);
/// The node for an attribute: strings become String, lists Array, and `(nullptr)` becomes `none`.
NodeId as_attribute(Context& c, const Value& value);
/// A `Buffer`, `Var` or producer by its name or inline definition.
NodeId as_named(Context& c, const Value& value);
NodeId as_named(Context& c, const Value& value, Kind kind);
inline NodeId as_buffer(Context& c, const Value& value) {
  return as_named(c, value, Kind::Buffer);
}
inline NodeId as_var(Context& c, const Value& value) {
  return as_named(c, value, Kind::Var);
}
NodeId as_range(Context& c, const Value& value);
std::vector<NodeId> as_ranges(Context& c, const Value& list);
DType as_dtype(Context& c, const Value& value);
std::string as_string(Context& c, const Value& value);
std::int64_t as_integer(Context& c, const Value& value);
/// Notes that the text has a Load or Store. Returns the predicate of an access without one: true.
NodeId note_variable_access(Context& c, NodeId index);
/// A BufferRegion from a subscript, which may look like a load: `A[i, j]`.
NodeId read_region(Context& c, SyntaxId root);
/// `{"key": value, …}`, values as attributes hold them.
std::vector<NamedNode> read_entries(Context& c, SyntaxId dictionary);

// --- Names and literals: conversions.cpp -------------------------------------------------------

/// The node of a name, or of a text that the grammar reads as a name: `meta[…][…]`, `Target(…)`,
/// `inff32`.
NodeId look_up(Context& c, const Value& name);
/// Defines a Var with this name and type.
NodeId define_var(Context& c, std::string_view name, NodeId type);
/// The node of a type that `scan_type` has found; one node for each spelling.
NodeId read_type(Context& c, std::string_view type);
NodeId read_number(Context& c, SyntaxId id, bool is_negative);
/// `True`, `False`, `?`, `inff32`, `nanf32`; none for any other name.
NodeId named_constant(Context& c, std::string_view name, std::string_view sign = {});

// --- Buffers and producers where they are defined: buffers.cpp ---------------------------------

/// `A: Buffer(…)`: the name, then the arguments.
NodeId define_buffer(Context& c, std::span<const Value> values);
/// `T: DataProducer(…)`.
NodeId define_producer(Context& c, std::span<const Value> values);
/// Defines the buffer of an expression that begins with a definition: `A: Buffer(…)…`, or `A =
/// alloc_buffer(…)`, `decl_buffer` or `match_buffer`. Returns the buffer; `none` for any other
/// expression.
NodeId declare(Context& c, SyntaxId root);

// --- Statements: statements.cpp ----------------------------------------------------------------

/// The statement in braces at the lexer's token. Several statements are a SeqStmt; so is an empty
/// body.
NodeId read_body(Context& c);
/// Statements up to the end of the text, without braces around them.
NodeId read_fragment(Context& c);

}  // namespace mlf::tir::legacy
