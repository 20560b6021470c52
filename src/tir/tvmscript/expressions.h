// Expressions: the syntax of one becomes a value, and its place makes a node, a number or a word of
// the value.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "mlf/tir/module.h"
#include "support/error.h"
#include "tir/tvmscript/context.h"

namespace mlf::tir::tvmscript {

using text::UndefinedName;

/// The value of a parsed expression. Runs once over the syntax below `root`; values hold until
/// Values::clear.
Value lower(Context& c, SyntaxId root);
/// Parses and lowers the expression that begins at the lexer's token.
Value read_value(Context& c);

/// Passes over a lambda, whose body waits until the call around it is lowered; gives the last node
/// that belongs to it.
SyntaxId skip_lambda(Context& c, SyntaxId params);

// --- Calls: expressions.cpp --------------------------------------------------------------------

/// The node that a call makes.
NodeId read_call(Context& c, const Value& callee, const Arguments& args);

// --- Calls that are statements or parts of them: looked at before they are lowered -------------

/// Lowers the arguments of the call that `root` is.
Arguments arguments_of(Context& c, SyntaxId root);
/// The same, not lowered yet.
std::vector<SyntaxId> argument_syntax(Context& c, SyntaxId root);
/// The function that `root` calls, without the prefix T or I; empty if it is not such a call.
std::string_view tir_callee(Context& c, SyntaxId root);
std::string_view ir_callee(Context& c, SyntaxId root);
/// The same for `T.Buffer[…]`, which before v0.12 is what `T.Buffer(…)` is since.
std::string_view tir_generic(Context& c, SyntaxId root);
/// Fails at `offset`: `sign` shows that the text is in the language that TVMScript is since v0.24,
/// in which the same words mean other things (`x: T.int32 = e` is storage, not a let).
[[noreturn]] void refuse_later(const Context& c, std::size_t offset, std::string_view sign);

/// Adds the operands in an expression that are names of nothing.
void add_unknown_names(Context& c, SyntaxId root, std::set<std::string_view>& names);

// --- What a place makes of a value, which fails where it is nothing of that sort: conversions.cpp

NodeId as_expr(Context& c, const Value& value);
/// A bare literal takes `dtype`; anything else is what it is.
NodeId as_expr_of(Context& c, const Value& value, DType dtype);
NodeId as_optional_expr(Context& c, const std::optional<Value>& value);
/// What a place makes of each element of a list or tuple; any other value is the only element.
std::vector<NodeId> each(Context& c, const Value& list, NodeId (*as)(Context&, const Value&));
inline std::vector<NodeId> as_exprs(Context& c, const Value& list) {
  return each(c, list, as_expr);
}
NodeId as_var(Context& c, const Value& value);
NodeId as_type(Context& c, const Value& value);
/// A type, or the data type in quotes that it is.
NodeId as_stated_type(Context& c, const Value& value);
/// A number of lanes: a constant, or from v0.16 on a multiple of vscale.
NodeId as_lanes(Context& c, const Value& value);
/// What a call calls: `"tir.exp"`, `Module.f`, an Op or a GlobalVar.
NodeId as_callee(Context& c, const Value& value);

std::int64_t as_integer(Context& c, const Value& value);
double as_real(Context& c, const Value& value);
bool as_boolean(Context& c, const Value& value);
DType as_dtype(Context& c, const Value& value);
std::string_view as_string(Context& c, const Value& value);

/// The dtype that a function behind T is named after.
std::optional<DType> script_dtype(std::string_view name);

bool is_literal(const Context& c, const Value& value);
[[noreturn]] void fail_expected(Context& c, const Value& value, std::string_view wanted);

// --- Operators: operators.cpp ------------------------------------------------------------------

/// The node of a binary operator, with its operands as they are.
NodeId construct_binary(Context& c, Kind kind, const Value& a, const Value& b);
/// What the operator or its function makes: two bare numbers are computed, dtypes are matched.
NodeId make_binary(Context& c, Kind kind, const Value& a, const Value& b);
/// The operator as TVM's own makes it: constants are computed, neutral operands left out.
NodeId folded_binary(Context& c, Kind kind, NodeId a, NodeId b);
/// The call that an operator on bits is.
NodeId make_bitwise(Context& c, std::string_view function, const Value& a, const Value& b);
/// The value as one of `dtype`: a constant stays one.
NodeId make_cast(Context& c, DType dtype, NodeId value);

// --- What is in brackets and behind dots: loads, regions, parts of buffers ---------------------

/// Replaces the value before the dot, on top of the stack, by that of the whole `A.data`.
void lower_attribute(Context& c, SyntaxId id);
/// Replaces the values of `A[i, j]` by that of the whole.
void lower_subscript(Context& c, SyntaxId id);
/// Makes loads of the accesses among the items of a value.
void load_items(Context& c, const Value& list);

NodeId as_buffer(Context& c, const Value& value);
/// Indices of a load or a store; slices become Ramps.
std::vector<NodeId> as_indices(Context& c, const Value& access);
/// A BufferRegion; a plain buffer is the whole of it.
NodeId as_region(Context& c, const Value& value);
NodeId as_range(Context& c, const Value& value);
std::vector<NodeId> as_ranges(Context& c, const Value& access);
/// The Range from `first` up to `last`, which it excludes.
NodeId range_to(Context& c, const Value& first, const Value& last);
/// The te.Tensor that is accessed.
NodeId as_producer(Context& c, const Value& access);

/// Whether a node is the data of a constant, which `.numpy()` hands on.
bool is_array(Context& c, NodeId node);

// --- Values of attributes and annotations, where strings are strings and lists are arrays ------

NodeId as_attribute(Context& c, const Value& value);
/// The entries of a dictionary whose keys are strings.
std::vector<NamedNode> as_attribute_map(Context& c, const Value& dict);
/// Adds them to those of earlier dictionaries, whose names are `names`.
void add_attributes(Context& c, const Value& dict, std::vector<NamedNode>& to, EntryNames& names);

// --- Types by name -----------------------------------------------------------------------------

/// `T.int32`, `T.handle`, `T.void`, `T.Ptr[global T.float32]`; none for any other path.
NodeId type_of_path(Context& c, std::string_view path);
/// `T.Ptr[T.float32, "global"]` and `T.Tuple[T.int32, T.int8]`; none for any other name.
NodeId generic_type(Context& c, const Value& name, const Value& arguments);

}  // namespace mlf::tir::tvmscript
