#include "tir/tvmscript/conversions.h"

#include <fmt/core.h>

#include <limits>

#include "tir/text/literals.h"
#include "tir/tvm_features.h"
#include "tir/tvmscript/accesses.h"
#include "tir/tvmscript/types.h"

namespace mlf::tir::tvmscript {
namespace {

/// Types of TVM are nodes, too.
bool is_type(Node node) {
  return node && node.category() == Category::type;
}

}  // namespace

bool is_literal(const Value& value) {
  return value.kind == ValueKind::integer || value.kind == ValueKind::real;
}

/// Bare numbers are int32 where they fit, as in TVM; text in an expression is a StringImm.
NodeId as_expr(Context& c, const Value& value) {
  switch (value.kind) {
    case ValueKind::node: {
      const Node node = c.node(value.node);
      if (is_expr(node.category()) || node.is(Kind::MissingObject)) return value.node;
      c.values.fail(value, fmt::format("expected an expression, found a {}", node.info().name));
    }
    case ValueKind::integer: {
      const std::int64_t number = as_integer(c, value);
      const bool small = number >= std::numeric_limits<std::int32_t>::min() &&
                         number <= std::numeric_limits<std::int32_t>::max();
      return c.make.int_imm(DType::Int(small ? 32 : 64), number);
    }
    case ValueKind::real:
      return c.make.float_imm(DType::Float(32), as_real(c, value));
    case ValueKind::boolean:
      return c.make.boolean(as_boolean(c, value));
    case ValueKind::string:
      return c.make.string_imm(as_string(c, value));
    case ValueKind::access:
      if (value.node != NodeId::none) return c.make.buffer_load(value.node, as_indices(c, value));
      return c.builder.make(Kind::ProducerLoad, {DType::Float(32), as_producer(c, value),
                                                 c.builder.list(as_indices(c, value))});
    case ValueKind::path:
      c.values.fail(value, fmt::format("'{}' is not defined", c.values.text(value)));
    default:
      fail_expected(c, value, "an expression");
  }
}

/// Handles and vectors are never meant by a bare number.
NodeId as_expr_of(Context& c, const Value& value, DType dtype) {
  if (!is_literal(value) || !dtype.is_scalar() || dtype.is_handle()) return as_expr(c, value);
  if (dtype.is_float()) return c.make.float_imm(dtype, as_real(c, value));
  if (value.kind == ValueKind::real) return as_expr(c, value);
  return c.make.int_imm(dtype, as_integer(c, value));
}

NodeId as_optional_expr(Context& c, const std::optional<Value>& value) {
  return value ? as_expr(c, *value) : NodeId::none;
}

std::vector<NodeId> as_exprs(Context& c, const Value& list) {
  std::vector<NodeId> nodes;
  for (const Value& element : c.values.elements(list)) nodes.push_back(as_expr(c, element));
  return nodes;
}

/// Variables are bound before they are used: TVM declares the free ones at the top of a function.
NodeId as_var(Context& c, const Value& value) {
  if (value.kind == ValueKind::path) {
    c.values.fail(value, fmt::format("'{}' is not defined", c.values.text(value)));
  }
  const bool is_var = value.kind == ValueKind::node &&
                      (c.node(value.node).is(Kind::Var) || c.node(value.node).is(Kind::SizeVar));
  if (!is_var) fail_expected(c, value, "a variable");
  return value.node;
}

/// A node that is a type already, a path such as `T.int32`, or None, which is void.
NodeId as_type(Context& c, const Value& value) {
  if (value.kind == ValueKind::none) return c.make.void_type();
  if (value.kind == ValueKind::node && is_type(c.node(value.node))) return value.node;
  if (value.kind == ValueKind::path) {
    if (const NodeId type = type_of_path(c, c.values.text(value)); type != NodeId::none) {
      return type;
    }
    c.values.fail(value, fmt::format("'{}' is not a type", c.values.text(value)));
  }
  fail_expected(c, value, "a type");
}

/// Scalable vectors came with v0.16, and lanes as expressions with them.
NodeId as_lanes(Context& c, const Value& value) {
  const NodeId node = as_expr(c, value);
  if (c.make.lanes_of(node)) {
    if (!c.node(node).is(Kind::IntImm)) c.versions.observe(TvmFeature::lanes_as_nodes);
    return node;
  }
  c.values.fail(value, "expected a number of lanes: 1 to 32767, or such a number times vscale()");
}

NodeId as_callee(Context& c, const Value& value) {
  if (value.kind == ValueKind::string) return c.make.op(as_string(c, value));
  if (value.kind == ValueKind::path) {
    const auto name = after_prefix(c.values.text(value), c.module_name);
    if (!name.empty()) return c.metadata.global_var(name);
  }
  const bool is_node = value.kind == ValueKind::node;
  if (is_node && (c.node(value.node).is(Kind::Op) || c.node(value.node).is(Kind::GlobalVar))) {
    return value.node;
  }
  fail_expected(c, value, "an operator or a function");
}

/// A bare literal beside an operand of another type takes that type: TVM prints none such, people
/// write them.
NodeId make_binary(Context& c, Kind kind, const Value& a, const Value& b) {
  // The right operand is made first here: it says what the left one is.
  if (is_literal(a) && !is_literal(b)) {
    const NodeId right = as_expr(c, b);
    return c.make.binary(kind, as_expr_of(c, a, c.make.dtype_of(right)), right);
  }
  const NodeId left = as_expr(c, a);
  return c.make.binary(kind, left, as_expr_of(c, b, c.make.dtype_of(left)));
}

// --- Numbers and words -------------------------------------------------------------------------

/// A number, or a constant expression: `align=64` and `align=T.int64(64)` say the same.
std::int64_t as_integer(Context& c, const Value& value) {
  if (value.kind == ValueKind::node && c.node(value.node).is(Kind::IntImm)) {
    return c.node(value.node).integer(f::IntImm::value);
  }
  if (value.kind != ValueKind::integer) fail_expected(c, value, "an integer");
  const auto number = text::parse_integer(c.values.text(value));
  if (!number) c.values.fail(value, "the integer does not fit into 64 bits");
  return *number;
}

/// Also the words that the printer has for infinity and NaN: `T.float32("inf")`.
double as_real(Context& c, const Value& value) {
  if (value.kind == ValueKind::string || is_literal(value)) {
    const auto number = text::parse_real(value.kind == ValueKind::string ? as_string(c, value)
                                                                         : c.values.text(value));
    if (number) return *number;
  }
  if (value.kind == ValueKind::node && c.node(value.node).is(Kind::FloatImm)) {
    return c.node(value.node).real(f::FloatImm::value);
  }
  fail_expected(c, value, "a number");
}

bool as_boolean(Context& c, const Value& value) {
  if (value.kind == ValueKind::node && c.node(value.node).is(Kind::IntImm)) {
    return as_integer(c, value) != 0;
  }
  if (value.kind != ValueKind::boolean) fail_expected(c, value, "True or False");
  return c.values.text(value) == "True";
}

/// Dtypes in arguments are strings: `T.Cast("float32", x)`.
DType as_dtype(Context& c, const Value& value) {
  if (value.kind != ValueKind::string) fail_expected(c, value, "a data type in quotes");
  const auto dtype = parse_dtype(as_string(c, value));
  if (!dtype) c.values.fail(value, fmt::format("'{}' is not a data type", as_string(c, value)));
  return *dtype;
}

std::string_view as_string(Context& c, const Value& value) {
  if (value.kind != ValueKind::string) fail_expected(c, value, "a string");
  return c.values.decoded(value);
}

void fail_expected(Context& c, const Value& value, std::string_view wanted) {
  const bool is_node = value.kind == ValueKind::node;
  const std::string found = is_node ? fmt::format("a {}", c.node(value.node).info().name)
                                    : std::string(to_string(value.kind));
  c.values.fail(value, fmt::format("expected {}, found {}", wanted, found));
}

}  // namespace mlf::tir::tvmscript
