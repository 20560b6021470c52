#include "tir/tvmscript/expressions.h"

#include "tir/tvm_features.h"
#include "tir/tvmscript/accesses.h"
#include "tir/tvmscript/calls.h"
#include "tir/tvmscript/conversions.h"
#include "tir/tvmscript/dialects.h"
#include "tir/tvmscript/operators.h"

namespace mlf::tir::tvmscript {
namespace {

using text::Sign;
using text::SyntaxId;
using text::SyntaxKind;

/// A value whose items are the values of the children.
void gather(Context& c, ValueKind kind, SyntaxId id) {
  Value value = c.values.take_items(c.values.syntax(id).arity);
  value.kind = kind;
  value.syntax = id;
  c.values.push(value);
}

/// A name that is bound is what it is bound to, be it spelled like a constant.
void lower_name(Context& c, SyntaxId id) {
  const std::string_view name = c.values.text(id);
  if (const NodeId bound = c.names.find(name); bound != NodeId::none) {
    return c.values.push(bound, id);
  }
  if (name == "None") return c.values.push(ValueKind::none, id);
  if (name == "True" || name == "False") return c.values.push(ValueKind::boolean, id);
  if (name == "inf" || name == "nan") {  // up to v0.9; strings since
    c.versions.observe(TvmFeature::bare_infinity);
    return c.values.push(ValueKind::real, id);
  }
  c.values.push(is_constant_text(name) ? ValueKind::elements : ValueKind::path, id);
}

/// TVM has no negation: `-x` is a product, as its own operator makes it.
void lower_unary(Context& c, SyntaxId id) {
  Value& operand = c.values.top();
  if (c.values.syntax(id).sign == Sign::not_) {
    const NodeId node = c.make.logical_not(as_expr(c, operand));
    c.values.drop(1);
    return c.values.push(node, id);
  }
  if (is_literal(operand)) {
    // Negative literals stay literals.
    operand.syntax = id;  // the text of the literal now begins with its sign
    return;
  }
  const NodeId value = as_expr(c, operand);
  c.values.drop(1);
  const DType dtype = c.make.dtype_of(value);
  const NodeId minus_one =
      dtype.is_float() ? c.make.float_imm(dtype, -1) : c.make.int_imm(dtype, -1);
  c.values.push(c.make.binary(Kind::Mul, value, minus_one), id);
}

void lower_binary(Context& c, SyntaxId id) {
  const Value a = c.values.below_top(1);
  const Value b = c.values.top();
  const NodeId node = make_binary(c, operator_of(c.values.syntax(id).sign).kind, a, b);
  c.values.drop(2);
  c.values.push(node, id);
}

/// Callee and arguments are on the stack, the last argument on top.
void lower_call(Context& c, SyntaxId id) {
  const std::uint32_t count = c.values.syntax(id).arity - 1;
  const Value callee = c.values.below_top(count);
  const Value items = c.values.take_items(count);
  c.values.drop(1);
  const Value whole{.kind = ValueKind::node, .syntax = id};
  const Arguments args(c.values, whole, c.values.text(callee), items);
  c.values.push(read_call(c, callee, args), id);
}

/// Lowers one node; gives the last node that is done with.
SyntaxId step(Context& c, SyntaxId id) {
  switch (c.values.syntax(id).kind) {
    case SyntaxKind::name:
      lower_name(c, id);
      break;
    case SyntaxKind::integer:
      c.values.push(ValueKind::integer, id);
      break;
    case SyntaxKind::real:
      c.values.push(ValueKind::real, id);
      break;
    case SyntaxKind::string:
      c.values.push(ValueKind::string, id);
      break;
    case SyntaxKind::unary:
      lower_unary(c, id);
      break;
    case SyntaxKind::binary:
      lower_binary(c, id);
      break;
    case SyntaxKind::attribute:
      lower_attribute(c, id);
      break;
    case SyntaxKind::call:
      lower_call(c, id);
      break;
    case SyntaxKind::subscript:
      lower_subscript(c, id);
      break;
    case SyntaxKind::keyword:
      gather(c, ValueKind::keyword, id);
      break;
    case SyntaxKind::slice:
      gather(c, ValueKind::slice, id);
      break;
    case SyntaxKind::list:
      gather(c, ValueKind::list, id);
      break;
    case SyntaxKind::tuple:
      gather(c, ValueKind::tuple, id);
      break;
    case SyntaxKind::dict:
      gather(c, ValueKind::dict, id);
      break;
    case SyntaxKind::lambda_params:
      return skip_lambda(c, id);
    default:
      c.values.push(ValueKind::absent, id);
  }
  return id;
}

}  // namespace

/// The syntax is in post-order: each step finds the values of its children on the stack.
Value lower(Context& c, SyntaxId root) {
  for (SyntaxId i = c.values.syntax(root).first; i <= root; ++i) i = step(c, i);
  return c.values.pop();
}

Value read_value(Context& c) {
  return lower(c, c.parser.parse());
}

}  // namespace mlf::tir::tvmscript
