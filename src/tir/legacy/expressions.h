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
ParsedValue lower(Context& c, SyntaxId root);
/// The parts of a subscript: what it subscribes, then the indices.
std::vector<ParsedValue> lower_subscript_parts(Context& c, SyntaxId root);

// --- Values as what a place asks for, which fail at anything else: conversions.cpp -------------

NodeId as_expr(Context& c, const ParsedValue& value);
NodeId as_expr(Context& c, SyntaxId root);
std::vector<NodeId> as_exprs(Context& c, const ParsedValue& list);
/// The node for an attribute: strings become String, lists Array, and `(nullptr)` becomes `none`.
NodeId as_attribute(Context& c, const ParsedValue& value);
/// A `Buffer`, `Var` or producer by its name or inline definition.
NodeId as_named(Context& c, const ParsedValue& value);
NodeId as_buffer(Context& c, const ParsedValue& value);
NodeId as_var(Context& c, const ParsedValue& value);
NodeId as_range(Context& c, const ParsedValue& value);
std::vector<NodeId> as_ranges(Context& c, const ParsedValue& list);
DType as_dtype(Context& c, const ParsedValue& value);
std::string as_string(Context& c, const ParsedValue& value);
std::int64_t as_integer(Context& c, const ParsedValue& value);
/// A BufferRegion from a subscript, which may look like a load: `A[i, j]`.
NodeId read_region(Context& c, SyntaxId root);
/// `{"key": value, …}`, values as attributes hold them.
std::vector<NamedNode> read_entries(Context& c, SyntaxId dictionary);

// --- Names and literals: conversions.cpp -------------------------------------------------------

/// The node of a name, or of a text that the grammar reads as a name: `meta[…][…]`, `Target(…)`,
/// `inff32`.
NodeId look_up(Context& c, const ParsedValue& name);
/// Defines a Var with this name and type.
NodeId define_var(Context& c, std::string_view name, NodeId type);
/// The node of a type that `scan_type` has found; one node for each spelling.
NodeId read_type(Context& c, std::string_view type);
NodeId read_number(Context& c, SyntaxId id, bool is_negative);
/// `True`, `False`, `?`, `inff32`, `nanf32`; none for any other name.
NodeId named_constant(Context& c, std::string_view name, std::string_view sign = {});

// --- Buffers and producers where they are defined: buffers.cpp ---------------------------------

/// `A: Buffer(…)`: the name, then the arguments.
NodeId define_buffer(Context& c, std::span<const ParsedValue> values);
/// `T: DataProducer(…)`.
NodeId define_producer(Context& c, std::span<const ParsedValue> values);
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
