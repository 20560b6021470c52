// What a place in the text makes of the value in it: an expression, a buffer, a number, …
// Each of them fails at the value where it is nothing of that sort.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "tir/tvmscript/context.h"

namespace mlf::tir::tvmscript {

NodeId as_expr(Context& c, const Value& value);
/// A bare literal takes `dtype`; anything else is what it is.
NodeId as_expr_of(Context& c, const Value& value, DType dtype);
NodeId as_optional_expr(Context& c, const std::optional<Value>& value);
std::vector<NodeId> as_exprs(Context& c, const Value& list);
NodeId as_var(Context& c, const Value& value);
NodeId as_type(Context& c, const Value& value);
/// A number of lanes: a constant, or from v0.16 on a multiple of vscale.
NodeId as_lanes(Context& c, const Value& value);
/// What a call calls: `"tir.exp"`, `Module.f`, an Op or a GlobalVar.
NodeId as_callee(Context& c, const Value& value);

std::int64_t as_integer(Context& c, const Value& value);
double as_real(Context& c, const Value& value);
bool as_boolean(Context& c, const Value& value);
DType as_dtype(Context& c, const Value& value);
std::string_view as_string(Context& c, const Value& value);

/// The node of a binary operator or of its function.
NodeId make_binary(Context& c, Kind kind, const Value& a, const Value& b);

bool is_literal(const Value& value);
[[noreturn]] void fail_expected(Context& c, const Value& value, std::string_view wanted);

}  // namespace mlf::tir::tvmscript
