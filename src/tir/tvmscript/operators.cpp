// Operators between two values of the text, computed as Python's and TVM's operators do.
#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "tir/integer_arithmetic.h"
#include "tir/node_queries.h"
#include "tir/tvmscript/context.h"

namespace mlf::tir::tvmscript {
namespace {

struct Operands {
  NodeId left;
  NodeId right;
};

/// A bare literal beside an operand of another type gets that type: TVM does not print such
/// operands, but users write them.
Operands as_operands(Context& c, const Value& a, const Value& b) {
  // Makes the right operand first, because it determines the type of the left one.
  if (is_literal(c, a) && !is_literal(c, b)) {
    const NodeId right = as_expr(c, b);
    return {as_expr_of(c, a, c.make.dtype_of(right)), right};
  }
  const NodeId left = as_expr(c, a);
  return {left, as_expr_of(c, b, c.make.dtype_of(left))};
}

bool is_number(DType dtype) {
  return dtype.is_scalar() && (dtype.is_int() || dtype.is_uint() || dtype.is_float());
}

/// The dtype in which TVM's operators compute (BinaryOpMatchTypes of src/tir/op/op.cc).
DType common_dtype(DType a, DType b) {
  if (a.is_float() != b.is_float()) return a.is_float() ? a : b;
  if (a.bits != b.bits) return a.bits > b.bits ? a : b;
  return a.is_uint() ? a : b;
}

/// Casts operands of other dtypes, except for a call whose dtype is not yet known.
void match_dtypes(Context& c, Operands& operands) {
  const DType a = c.make.dtype_of(operands.left);
  const DType b = c.make.dtype_of(operands.right);
  const bool is_certain = !c.is(operands.left, Kind::Call) && !c.is(operands.right, Kind::Call);
  if (a == b || !is_number(a) || !is_number(b) || !is_certain) return;
  const DType common = common_dtype(a, b);
  operands.left = make_cast(c, common, operands.left);
  operands.right = make_cast(c, common, operands.right);
}

/// The result of a Python operator between two numbers, if it is an integer.
std::optional<std::int64_t> compute(Kind kind, std::int64_t a, std::int64_t b) {
  if (kind == Kind::Div || kind == Kind::Mod) return std::nullopt;
  return integer_result(kind, a, b);
}

std::optional<double> compute(Kind kind, double a, double b) {
  switch (kind) {
    case Kind::Add:
      return a + b;
    case Kind::Sub:
      return a - b;
    case Kind::Mul:
      return a * b;
    case Kind::Min:
      return std::min(a, b);
    case Kind::Max:
      return std::max(a, b);
    default:
      return std::nullopt;
  }
}

bool is_index(DType dtype) {
  return dtype.is_int() && dtype.is_scalar() && (dtype.bits == 32 || dtype.bits == 64);
}

/// An operator on two constants, computed like TVM's own (src/arith/const_fold.h): its printer
/// shows an uncomputed node as a call, `T.Add(1, 2)`. Returns none if it cannot be computed.
NodeId fold_constants(Context& c, Kind kind, Node a, Node b) {
  if (a.is(Kind::IntImm) && b.is(Kind::IntImm) && is_index(a.dtype()) && a.dtype() == b.dtype()) {
    const auto value = compute(kind, a.integer(f::IntImm::value), b.integer(f::IntImm::value));
    if (!value) return NodeId::none;
    const bool fits = a.dtype().bits == 64 || std::in_range<std::int32_t>(*value);
    return fits ? c.make.int_imm(a.dtype(), *value) : NodeId::none;
  }
  const bool are_real = a.is(Kind::FloatImm) && b.is(Kind::FloatImm) && a.dtype() == b.dtype();
  if (!are_real || (a.dtype().bits != 32 && a.dtype().bits != 64)) return NodeId::none;
  const auto value = compute(kind, a.real(f::FloatImm::value), b.real(f::FloatImm::value));
  return value ? c.make.float_imm(a.dtype(), *value) : NodeId::none;
}

bool is_constant(Node node, std::int64_t number) {
  if (!is_number_literal(node)) return false;
  if (node.is(Kind::FloatImm)) return node.real(f::FloatImm::value) == static_cast<double>(number);
  return is_index(node.dtype()) && node.integer(f::IntImm::value) == number;
}

/// The operand that an operator returns beside a neutral one; none if there is none.
NodeId fold_neutral(Context& c, Kind kind, Node a, Node b) {
  switch (kind) {
    case Kind::Add:
      if (is_constant(a, 0)) return b.id();
      return is_constant(b, 0) ? a.id() : NodeId::none;
    case Kind::Sub:
      return is_constant(b, 0) ? a.id() : NodeId::none;
    case Kind::Mul:
      if (is_constant(a, 1) || is_constant(b, 0)) return b.id();
      return is_constant(b, 1) || is_constant(a, 0) ? a.id() : NodeId::none;
    case Kind::FloorDiv:
      return is_constant(a, 0) || is_constant(b, 1) ? a.id() : NodeId::none;
    case Kind::FloorMod:
      if (is_constant(a, 0)) return a.id();
      return is_constant(b, 1) ? c.make.int_imm(a.dtype(), 0) : NodeId::none;
    default:
      return NodeId::none;
  }
}

NodeId fold(Context& c, Kind kind, const Operands& operands) {
  const Node a = c.node(operands.left);
  const Node b = c.node(operands.right);
  if (!is_number_literal(a) && !is_number_literal(b)) return NodeId::none;
  if (!is_expr(a.category()) || !is_expr(b.category()) || a.dtype() != b.dtype()) {
    return NodeId::none;
  }
  const NodeId constant = fold_constants(c, kind, a, b);
  return constant != NodeId::none ? constant : fold_neutral(c, kind, a, b);
}

/// The number that Python makes of two numbers, which has the dtype of its use since v0.12; none
/// for an operator of TVM.
NodeId python_number(Context& c, Kind kind, const Value& a, const Value& b) {
  if (c.rules.is_old() || !is_literal(c, a) || !is_literal(c, b)) return NodeId::none;
  const NodeId left = as_expr(c, a);
  const NodeId right = as_expr(c, b);
  NodeId made = NodeId::none;
  if (c.is(left, Kind::IntImm) && c.is(right, Kind::IntImm)) {
    const auto value = compute(kind, c.node(left).integer(f::IntImm::value),
                               c.node(right).integer(f::IntImm::value));
    if (!value) return NodeId::none;
    made = c.make.integer(*value);
  } else {
    const auto value = compute(kind, as_real(c, a), as_real(c, b));
    if (!value) return NodeId::none;
    made = c.make.float_imm(DType::Float(32), *value);
  }
  c.python_numbers.insert(made);
  return made;
}

}  // namespace

NodeId construct_binary(Context& c, Kind kind, const Value& a, const Value& b) {
  const Operands operands = as_operands(c, a, b);
  return c.make.binary(kind, operands.left, operands.right);
}

NodeId make_binary(Context& c, Kind kind, const Value& a, const Value& b) {
  if (const NodeId number = python_number(c, kind, a, b); number != NodeId::none) return number;
  Operands operands = as_operands(c, a, b);
  if (c.rules.is_old()) return c.make.binary(kind, operands.left, operands.right);
  match_dtypes(c, operands);
  return folded_binary(c, kind, operands.left, operands.right);
}

NodeId folded_binary(Context& c, Kind kind, NodeId a, NodeId b) {
  const NodeId folded = fold(c, kind, {a, b});
  return folded != NodeId::none ? folded : c.make.binary(kind, a, b);
}

NodeId make_bitwise(Context& c, std::string_view function, const Value& a, const Value& b) {
  Operands operands = as_operands(c, a, b);
  match_dtypes(c, operands);
  const NodeId args[] = {operands.left, operands.right};
  return c.make.call(c.make.op(function), args, c.make.dtype_of(operands.left));
}

NodeId make_cast(Context& c, DType dtype, NodeId value) {
  const Node node = c.node(value);
  if (c.make.dtype_of(value) == dtype) return value;
  if (node.is(Kind::IntImm) && dtype.is_scalar()) {
    const std::int64_t number = node.integer(f::IntImm::value);
    if (dtype.is_float()) return c.make.float_imm(dtype, static_cast<double>(number));
    if (dtype.is_int() || dtype.is_uint()) return c.make.int_imm(dtype, number);
  }
  if (node.is(Kind::FloatImm) && dtype.is_scalar() && dtype.is_float()) {
    return c.make.float_imm(dtype, node.real(f::FloatImm::value));
  }
  return c.make.cast(dtype, value);
}

}  // namespace mlf::tir::tvmscript
