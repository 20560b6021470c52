#include "tir/tvmscript/expressions.h"

#include <fmt/core.h>

#include <limits>

#include "support/error.h"
#include "tir/text/literals.h"
#include "tir/tvm_features.h"
#include "tir/tvmscript/grammar.h"
#include "tir/tvmscript/operators.h"

namespace mlf::tir::tvmscript {
namespace {

using text::Sign;
using text::Syntax;
using text::SyntaxId;
using text::SyntaxKind;

bool is_literal(const Value& value) {
  return value.kind == ValueKind::integer || value.kind == ValueKind::real;
}

bool is_type(Node node) {
  return node && node.category() == Category::type;
}

}  // namespace

std::string_view to_string(ValueKind kind) {
  constexpr std::string_view kNames[] = {"an object",    "None",
                                         "a boolean",    "an integer",
                                         "a number",     "a string",
                                         "a name",       "a method",
                                         "an access",    "a metadata key",
                                         "a list",       "a tuple",
                                         "a dictionary", "a keyword argument",
                                         "a slice",      "nothing",
                                         "a lambda",     "elements of a constant"};
  return kNames[static_cast<std::size_t>(kind)];
}

Expressions::Expressions(Context& context, text::Lexer& lexer)
    : c_(context),
      lexer_(lexer),
      parser_(lexer, *context.rules.grammar, tree_, context.limits.max_nesting) {}

void Expressions::clear() {
  tree_.clear();
  values_.clear();
  items_.clear();
  decoded_.clear();
}

// --- The loop over the syntax ------------------------------------------------------------------

Value Expressions::lower(SyntaxId root) {
  for (SyntaxId i = tree_[root].first; i <= root; ++i) i = step(i);
  const Value result = values_.back();
  values_.pop_back();
  return result;
}

/// Lowers one node; gives the last node that is done with.
SyntaxId Expressions::step(SyntaxId id) {
  switch (tree_[id].kind) {
    case SyntaxKind::name:
      lower_name(id);
      break;
    case SyntaxKind::integer:
      push(ValueKind::integer, id);
      break;
    case SyntaxKind::real:
      push(ValueKind::real, id);
      break;
    case SyntaxKind::string:
      push(ValueKind::string, id);
      break;
    case SyntaxKind::unary:
      lower_unary(id);
      break;
    case SyntaxKind::binary:
      lower_binary(id);
      break;
    case SyntaxKind::attribute:
      lower_attribute(id);
      break;
    case SyntaxKind::call:
      lower_call(id);
      break;
    case SyntaxKind::subscript:
      lower_subscript(id);
      break;
    case SyntaxKind::keyword:
      gather(ValueKind::keyword, id);
      break;
    case SyntaxKind::slice:
      gather(ValueKind::slice, id);
      break;
    case SyntaxKind::list:
      gather(ValueKind::list, id);
      break;
    case SyntaxKind::tuple:
      gather(ValueKind::tuple, id);
      break;
    case SyntaxKind::dict:
      gather(ValueKind::dict, id);
      break;
    case SyntaxKind::lambda_params:
      return skip_lambda(id);
    default:
      push(ValueKind::absent, id);
  }
  return id;
}

void Expressions::push_node(NodeId node, SyntaxId id) {
  values_.push_back({.kind = ValueKind::node, .syntax = id, .node = node});
}

/// Moves the last values to where they stay; gives a value that holds them.
Value Expressions::take_items(std::uint32_t count) {
  const auto first = static_cast<std::uint32_t>(items_.size());
  items_.insert(items_.end(), values_.end() - count, values_.end());
  values_.resize(values_.size() - count);
  return {.first = first, .count = count};
}

void Expressions::gather(ValueKind kind, SyntaxId id) {
  Value value = take_items(tree_[id].arity);
  value.kind = kind;
  value.syntax = id;
  values_.push_back(value);
}

void Expressions::lower_name(SyntaxId id) {
  const std::string_view name = lexer_.slice(tree_[id].begin, tree_[id].end);
  if (const NodeId bound = c_.names.find(name); bound != NodeId::none) return push_node(bound, id);
  if (name == "None") return push(ValueKind::none, id);
  if (name == "True" || name == "False") return push(ValueKind::boolean, id);
  if (name == "inf" || name == "nan") {  // up to v0.9; strings since
    c_.versions.observe(TvmFeature::bare_infinity);
    return push(ValueKind::real, id);
  }
  push(is_constant_text(name) ? ValueKind::elements : ValueKind::path, id);
}

void Expressions::lower_unary(SyntaxId id) {
  Value& operand = values_.back();
  if (tree_[id].sign == Sign::not_) {
    const NodeId node = c_.make.logical_not(expr(operand));
    values_.pop_back();
    return push_node(node, id);
  }
  if (is_literal(operand)) {
    operand.syntax = id;  // the text of the literal now begins with its sign
    return;
  }
  const NodeId value = expr(operand);
  values_.pop_back();
  const DType dtype = c_.make.dtype_of(value);
  const NodeId minus_one =
      dtype.is_float() ? c_.make.float_imm(dtype, -1) : c_.make.int_imm(dtype, -1);
  push_node(c_.make.binary(Kind::Mul, value, minus_one), id);
}

void Expressions::lower_binary(SyntaxId id) {
  const Value a = values_[values_.size() - 2];
  const Value b = values_.back();
  const NodeId node = binary(binary_operator(tree_[id].sign).kind, a, b);
  values_.resize(values_.size() - 2);
  push_node(node, id);
}

/// A bare literal beside an operand of another type takes that type: TVM prints none such, people
/// write them.
NodeId Expressions::binary(Kind kind, const Value& a, const Value& b) {
  if (is_literal(a) && !is_literal(b)) {
    const NodeId right = expr(b);
    return c_.make.binary(kind, expr_as(a, c_.make.dtype_of(right)), right);
  }
  const NodeId left = expr(a);
  return c_.make.binary(kind, left, expr_as(b, c_.make.dtype_of(left)));
}

// --- What a value is wanted for ----------------------------------------------------------------

NodeId Expressions::expr(const Value& value) {
  switch (value.kind) {
    case ValueKind::node: {
      const Node node = c_.node(value.node);
      if (is_expr(node.category()) || node.is(Kind::MissingObject)) return value.node;
      fail(value, fmt::format("expected an expression, found a {}", node.info().name));
    }
    case ValueKind::integer: {
      const std::int64_t number = integer(value);
      const bool small = number >= std::numeric_limits<std::int32_t>::min() &&
                         number <= std::numeric_limits<std::int32_t>::max();
      return c_.make.int_imm(DType::Int(small ? 32 : 64), number);
    }
    case ValueKind::real:
      return c_.make.float_imm(DType::Float(32), real(value));
    case ValueKind::boolean:
      return c_.make.boolean(boolean(value));
    case ValueKind::string:
      return c_.make.string_imm(string(value));
    case ValueKind::access:
      if (value.node != NodeId::none) return c_.make.buffer_load(value.node, indices(value));
      return c_.builder.make(Kind::ProducerLoad,
                             {DType::Float(32), producer(value), c_.builder.list(indices(value))});
    case ValueKind::path:
      fail(value, fmt::format("'{}' is not defined", text(value)));
    default:
      fail_expected(value, "an expression");
  }
}

NodeId Expressions::expr_as(const Value& value, DType dtype) {
  if (!is_literal(value) || !dtype.is_scalar() || dtype.is_handle()) return expr(value);
  if (dtype.is_float()) return c_.make.float_imm(dtype, real(value));
  if (value.kind == ValueKind::real) return expr(value);
  return c_.make.int_imm(dtype, integer(value));
}

NodeId Expressions::expr_or_none(const std::optional<Value>& value) {
  return value ? expr(*value) : NodeId::none;
}

NodeId Expressions::var(const Value& value) {
  if (value.kind == ValueKind::path) fail(value, fmt::format("'{}' is not defined", text(value)));
  const bool is_var = value.kind == ValueKind::node &&
                      (c_.node(value.node).is(Kind::Var) || c_.node(value.node).is(Kind::SizeVar));
  if (!is_var) fail_expected(value, "a variable");
  return value.node;
}

NodeId Expressions::buffer(const Value& value) {
  if (value.kind == ValueKind::path) fail(value, fmt::format("'{}' is not defined", text(value)));
  if (Allocation* const known = allocation(value)) return allocated_buffer(value.node, *known);
  if (value.kind != ValueKind::node || !c_.node(value.node).is(Kind::Buffer)) {
    fail_expected(value, "a buffer");
  }
  return value.node;
}

NodeId Expressions::type(const Value& value) {
  if (value.kind == ValueKind::none) return c_.make.void_type();
  if (value.kind == ValueKind::node && is_type(c_.node(value.node))) return value.node;
  if (value.kind == ValueKind::path) {
    if (const NodeId type = type_of_path(text(value)); type != NodeId::none) return type;
    fail(value, fmt::format("'{}' is no type", text(value)));
  }
  fail_expected(value, "a type");
}

std::vector<NodeId> Expressions::exprs(const Value& list) {
  std::vector<NodeId> nodes;
  for (const Value& element : elements(list)) nodes.push_back(expr(element));
  return nodes;
}

std::int64_t Expressions::integer(const Value& value) {
  if (value.kind == ValueKind::node && c_.node(value.node).is(Kind::IntImm)) {
    return c_.node(value.node).integer(f::IntImm::value);
  }
  if (value.kind != ValueKind::integer) fail_expected(value, "an integer");
  const auto number = text::parse_integer(text(value));
  if (!number) fail(value, "the integer does not fit into 64 bits");
  return *number;
}

double Expressions::real(const Value& value) {
  if (value.kind == ValueKind::string || is_literal(value)) {
    const auto number =
        text::parse_real(value.kind == ValueKind::string ? string(value) : text(value));
    if (number) return *number;
  }
  if (value.kind == ValueKind::node && c_.node(value.node).is(Kind::FloatImm)) {
    return c_.node(value.node).real(f::FloatImm::value);
  }
  fail_expected(value, "a number");
}

bool Expressions::boolean(const Value& value) {
  if (value.kind == ValueKind::node && c_.node(value.node).is(Kind::IntImm)) {
    return integer(value) != 0;
  }
  if (value.kind != ValueKind::boolean) fail_expected(value, "True or False");
  return text(value) == "True";
}

DType Expressions::dtype(const Value& value) {
  if (value.kind != ValueKind::string) fail_expected(value, "a data type in quotes");
  const auto dtype = parse_dtype(string(value));
  if (!dtype) fail(value, fmt::format("'{}' is no data type", string(value)));
  return *dtype;
}

std::string_view Expressions::string(const Value& value) {
  if (value.kind != ValueKind::string) fail_expected(value, "a string");
  if (const auto plain = text::plain_string(text(value))) return *plain;
  return decoded_.emplace_back(text::decode_string(text(value)));
}

std::vector<Value> Expressions::elements(const Value& value) const {
  if (value.kind != ValueKind::list && value.kind != ValueKind::tuple) return {value};
  const auto first = items_.begin() + value.first;
  return {first, first + value.count};
}

std::string_view Expressions::name(const Value& value) const {
  const Syntax& syntax = tree_[value.syntax];
  return lexer_.slice(syntax.name_begin, syntax.name_end);
}

std::string_view Expressions::text(const Value& value) const {
  return lexer_.slice(tree_[value.syntax].begin, tree_[value.syntax].end);
}

void Expressions::fail(const Value& value, std::string message) const {
  const Syntax& syntax = tree_[value.syntax];
  support::fail_at(c_.source, syntax.begin, std::move(message), syntax.end - syntax.begin);
}

void Expressions::fail_expected(const Value& value, std::string_view wanted) const {
  const bool is_node = value.kind == ValueKind::node;
  const std::string found = is_node ? fmt::format("a {}", c_.node(value.node).info().name)
                                    : std::string(to_string(value.kind));
  fail(value, fmt::format("expected {}, found {}", wanted, found));
}

}  // namespace mlf::tir::tvmscript
