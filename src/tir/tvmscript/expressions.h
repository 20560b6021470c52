// Lowers expressions: their syntax becomes a value, and the place of the value decides between a
// node, a number and a word.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "mlf/tir/module.h"
#include "tir/tvmscript/context.h"

namespace mlf::tir::tvmscript {

using text::UndefinedName;

/// The value of a parsed expression. Visits the syntax below `root` once; values are valid until
/// Values::clear.
Value lower(Context& c, SyntaxId root);
/// Parses and lowers the expression at the lexer's token.
Value read_value(Context& c);

/// Skips a lambda, whose body waits until the call around it is lowered; returns its last node.
SyntaxId skip_lambda(Context& c, SyntaxId params);

// --- Calls: expressions.cpp --------------------------------------------------------------------

/// The node of a call.
NodeId read_call(Context& c, const Value& callee, const Arguments& args);

// --- Calls that are statements or parts of them, before they are lowered -----------------------

/// Lowers the arguments of the call that `root` is.
Arguments arguments_of(Context& c, SyntaxId root);
/// The same, not yet lowered.
std::vector<SyntaxId> argument_syntax(Context& c, SyntaxId root);
/// The function that `root` calls, without the prefix T or I; empty if it is not such a call.
std::string_view tir_callee(Context& c, SyntaxId root);
std::string_view ir_callee(Context& c, SyntaxId root);
/// The same for `T.Buffer[…]`, which before v0.12 has the meaning of `T.Buffer(…)` since then.
std::string_view tir_generic(Context& c, SyntaxId root);
/// Fails at `offset`: `sign` shows that the text is in TVMScript of v0.24 or later, in which the
/// same words have other meanings (`x: T.int32 = e` is storage, not a let).
[[noreturn]] void refuse_later(const Context& c, std::size_t offset, std::string_view sign);

/// Adds the operands in an expression that are unbound names.
void add_unknown_names(Context& c, SyntaxId root, std::set<std::string_view>& names);

// --- Conversions of values, which fail for values of another form: conversions.cpp -------------

NodeId as_expr(Context& c, const Value& value);
/// A bare literal gets `dtype`; anything else keeps its own.
NodeId as_expr_of(Context& c, const Value& value, DType dtype);
NodeId as_optional_expr(Context& c, const std::optional<Value>& value);
/// A condition, which may be left out: it is true then.
NodeId as_condition(Context& c, const std::optional<Value>& value);
std::vector<NodeId> each(Context& c, const std::vector<Value>& values,
                         NodeId (*as)(Context&, const Value&));
/// Converts each element of a list or tuple; any other value is the only element.
inline std::vector<NodeId> each(Context& c, const Value& list,
                                NodeId (*as)(Context&, const Value&)) {
  return each(c, c.values.elements(list), as);
}
inline std::vector<NodeId> as_exprs(Context& c, const Value& list) {
  return each(c, list, as_expr);
}
NodeId as_var(Context& c, const Value& value);
NodeId as_type(Context& c, const Value& value);
/// A type, or the type of a data type in quotes.
NodeId as_stated_type(Context& c, const Value& value);
/// A number of lanes: a constant, or since v0.16 a multiple of vscale.
NodeId as_lanes(Context& c, const Value& value);
/// The callee of a call: `"tir.exp"`, `Module.f`, an Op or a GlobalVar.
NodeId as_callee(Context& c, const Value& value);

std::int64_t as_integer(Context& c, const Value& value);
double as_real(Context& c, const Value& value);
bool as_boolean(Context& c, const Value& value);
DType as_dtype(Context& c, const Value& value);
std::string_view as_string(Context& c, const Value& value);

/// The dtype in the name of a function after T.
std::optional<DType> script_dtype(std::string_view name);

bool is_literal(const Context& c, const Value& value);
[[noreturn]] void fail_expected(Context& c, const Value& value, std::string_view wanted);

// --- Operators: operators.cpp ------------------------------------------------------------------

/// The node of a binary operator, with unchanged operands.
NodeId construct_binary(Context& c, Kind kind, const Value& a, const Value& b);
/// The result of an operator or its function: computes two bare numbers, and matches dtypes.
NodeId make_binary(Context& c, Kind kind, const Value& a, const Value& b);
/// The result of TVM's own operator: computes constants, and omits neutral operands.
NodeId folded_binary(Context& c, Kind kind, NodeId a, NodeId b);
/// The call for an operator on bits.
NodeId make_bitwise(Context& c, std::string_view function, const Value& a, const Value& b);
/// The value with `dtype`: a constant stays one.
NodeId make_cast(Context& c, DType dtype, NodeId value);

// --- Subscripts and members: loads, regions, parts of buffers ----------------------------------

/// Replaces the value before the dot, on top of the stack, by that of the whole `A.data`.
void lower_attribute(Context& c, SyntaxId id);
/// Replaces the values of `A[i, j]` by that of the whole.
void lower_subscript(Context& c, SyntaxId id);
/// Converts the accesses among the items of a value to loads.
void load_items(Context& c, const Value& list);

NodeId as_buffer(Context& c, const Value& value);
/// Indices of a load or a store; slices become Ramps.
std::vector<NodeId> as_indices(Context& c, const Value& access);
/// A BufferRegion; a plain buffer is the whole region.
NodeId as_region(Context& c, const Value& value);
NodeId as_range(Context& c, const Value& value);
inline std::vector<NodeId> as_ranges(Context& c, const Value& access) {
  return each(c, c.values.items(access), as_range);
}
/// The Range from `first` to `last`, without `last`.
NodeId range_to(Context& c, const Value& first, const Value& last);
/// The te.Tensor that is accessed.
NodeId as_producer(Context& c, const Value& access);

/// Whether a node is the data of a constant, to which `.numpy()` may be applied.
bool is_array(Context& c, NodeId node);

// --- Values of attributes and annotations, in which strings are strings and lists are arrays ---

NodeId as_attribute(Context& c, const Value& value);
/// The entries of a dictionary with string keys.
std::vector<NamedNode> as_attribute_map(Context& c, const Value& dict);
/// Adds them to those of earlier dictionaries, whose names are `names`.
void add_attributes(Context& c, const Value& dict, std::vector<NamedNode>& to, EntryNames& names);

// --- Types by name -----------------------------------------------------------------------------

/// `T.int32`, `T.handle`, `T.void`, `T.Ptr[global T.float32]`; none for any other path.
NodeId type_of_path(Context& c, std::string_view path);
/// `T.Ptr[T.float32, "global"]` and `T.Tuple[T.int32, T.int8]`; none for any other name.
NodeId generic_type(Context& c, const Value& name, const Value& arguments);

}  // namespace mlf::tir::tvmscript
