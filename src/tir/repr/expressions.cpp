#include "tir/repr/expressions.h"

#include <fmt/core.h>

#include "tir/text/infix.h"
#include "tir/text/literals.h"
#include "tir/tvm_features.h"

namespace mlf::tir::repr {
namespace {

using text::Sign;
using text::Syntax;
using text::SyntaxId;
using text::SyntaxKind;
using Is = Value::Is;

struct RealSuffix {
  char letter;
  std::uint8_t bits;
};
constexpr RealSuffix kRealSuffixes[] = {{'f', 32}, {'h', 16}};

/// The value of `1.5f`, `1e-05h`, `inff`, `nan`; nothing for any other name.
struct Real {
  double value;
  DType dtype;
};
std::optional<Real> parse_real_name(std::string_view name) {
  if (name == "inf" || name == "nan") {
    return Real{*text::parse_real(name), DType::Float(64)};
  }
  for (const RealSuffix& suffix : kRealSuffixes) {
    if (!name.ends_with(suffix.letter)) continue;
    const auto value = text::parse_real(name.substr(0, name.size() - 1));
    if (value) return Real{*value, DType::Float(suffix.bits)};
  }
  return std::nullopt;
}

}  // namespace

void ExprReader::clear() {
  ExpressionText::clear();
  values_.clear();
  elements_.clear();
}

// --- The loop ----------------------------------------------------------------------------------

Value ExprReader::value(SyntaxId id) {
  run(tree()[id].first, id);
  return pop();
}

Value ExprReader::pop() {
  const Value last = values_.back();
  values_.pop_back();
  return last;
}

/// A literal, `1f` and `nanf` included where they are no variables.
bool ExprReader::is_number(SyntaxId id) const {
  const SyntaxKind kind = tree()[id].kind;
  if (kind == SyntaxKind::integer || kind == SyntaxKind::real) return true;
  return kind == SyntaxKind::name && parse_real_name(text_of(id)) &&
         context_.names.find(text_of(id)) == NodeId::none;
}

void ExprReader::run(SyntaxId first, SyntaxId last) {
  for (SyntaxId id = first; id <= last; ++id) {
    if (!is_number(id)) {
      step(id);
      continue;
    }
    const bool is_negated =
        id < last && tree()[id + 1].kind == SyntaxKind::unary && tree()[id + 1].sign == Sign::minus;
    push(id, number(id, is_negated ? "-" : ""));
    if (is_negated) ++id;
  }
}

void ExprReader::step(SyntaxId id) {
  const Syntax& node = tree()[id];
  switch (node.kind) {
    case SyntaxKind::name:
      return values_.push_back({.is = Is::name, .syntax = id});
    case SyntaxKind::string:
      return values_.push_back({.is = Is::string, .syntax = id});
    case SyntaxKind::unary:
      return unary(id);
    case SyntaxKind::binary:
      return binary(id);
    case SyntaxKind::load_cast:
      return typed_number(id);
    case SyntaxKind::keyword:
      return keyword(id);
    case SyntaxKind::call:
      return call(id);
    case SyntaxKind::subscript:
      return subscript(id);
    case SyntaxKind::list:
    case SyntaxKind::tuple:
      return collect(Is::list, id, node.arity);
    case SyntaxKind::slice:
      if (node.arity == 2) return collect(Is::slice, id, node.arity);
      break;
    default:
      break;
  }
  fail(id, fmt::format("expected an expression of TIR, found {}", shown(id)));
}

void ExprReader::collect(Is is, SyntaxId id, std::uint32_t count) {
  const auto first = values_.end() - static_cast<std::ptrdiff_t>(count);
  const auto place = static_cast<std::uint32_t>(elements_.size());
  elements_.insert(elements_.end(), first, values_.end());
  values_.erase(first, values_.end());
  values_.push_back({.is = is, .syntax = id, .first = place, .count = count});
}

// --- Literals ----------------------------------------------------------------------------------

NodeId ExprReader::number(SyntaxId id, std::string_view sign) {
  const std::string text = std::string(sign).append(text_of(id));
  if (tree()[id].kind == SyntaxKind::integer) {
    const auto value = text::parse_integer(text);
    if (!value) fail(id, fmt::format("the number {} does not fit into 64 bits", text));
    if (text == "-0") return make_.float_imm(DType::Float(64), -0.0);
    return make_.int32(*value);
  }
  context_.lose(LossCode::float_digits, "float constants");
  if (tree()[id].kind == SyntaxKind::real) {
    const auto value = text::parse_real(text);
    if (!value) fail(id, fmt::format("expected a number, found '{}'", text));
    return make_.float_imm(DType::Float(64), *value);
  }
  Real real = *parse_real_name(text_of(id));
  if (!sign.empty()) real.value = -real.value;
  return make_.float_imm(real.dtype, real.value);
}

/// `(int64)5`.
void ExprReader::typed_number(SyntaxId id) {
  const Value value = pop();
  const Node literal = context_.builder.node(value.node);
  const auto printed = context_.slice(tree()[id].name_begin, tree()[id].name_end);
  const auto dtype = parse_dtype(printed.substr(1, printed.size() - 2));
  const bool is_integer = value.is == Is::node && literal.is(Kind::IntImm);
  if (!is_integer || !dtype) fail(id, fmt::format("expected an integer, found {}", shown(id)));
  push(id, make_.int_imm(*dtype, literal.integer(f::IntImm::value)));
}

// --- Operators ---------------------------------------------------------------------------------

void ExprReader::unary(SyntaxId id) {
  const Value operand = pop();
  switch (tree()[id].sign) {
    case Sign::not_:
      return push(id, make_.logical_not(expr(operand)));
    case Sign::let:
      if (operand.is == Is::let) return push(id, operand.node);
      break;
    default:
      break;
  }
  fail(id, fmt::format("expected an expression of TIR, found {}", shown(id)));
}

void ExprReader::binary(SyntaxId id) {
  const Sign sign = tree()[id].sign;
  if (sign == Sign::assign) return bind(id);
  if (sign == Sign::in) return let_body(id);
  const Value right = pop();
  const Value left = pop();
  if (sign == Sign::if_) return push(id, predicated_load(left, expr(right)));
  const NodeId a = expr(left);
  push(id, arithmetic(*text::binary_kind(sign), a, expr(right)));
}

/// Makes `a op b`. A float64 without a fraction is printed like an int32: where the other operand
/// is a float64 constant, it is one.
NodeId ExprReader::arithmetic(Kind kind, NodeId a, NodeId b) {
  const bool is_double = make_.dtype_of(a) == DType::Float(64);
  if (is_double != (make_.dtype_of(b) == DType::Float(64)))
    (is_double ? b : a) = as_double(is_double ? b : a);
  return make_.binary(kind, a, b);
}

NodeId ExprReader::as_double(NodeId number) {
  const Node node = context_.builder.node(number);
  if (!node.is(Kind::IntImm) || node.dtype() != DType::Int(32)) return number;
  return make_.float_imm(DType::Float(64), static_cast<double>(node.integer(f::IntImm::value)));
}

/// `x = v`, which is part of an expression behind `let` alone.
void ExprReader::bind(SyntaxId id) {
  const Value bound = pop();
  const Value name = pop();
  const NodeId node = expr(bound);
  if (name.is != Is::name) fail(name.syntax, "expected a variable behind 'let'");
  const NodeId variable = context_.var(name_of(name));
  context_.definitions.values.emplace(index(variable), node);
  lets_.push_back(context_.names.mark());
  context_.names.define(name_of(name), variable);
  values_.push_back({.is = Is::binding, .syntax = id, .node = variable, .other = node});
}

void ExprReader::let_body(SyntaxId id) {
  const NodeId body = expr(pop());
  const Value bound = pop();
  if (bound.is != Is::binding) fail(id, "expected 'variable = value' in front of 'in'");
  context_.names.release(lets_.back());
  lets_.pop_back();
  values_.push_back(
      {.is = Is::let, .syntax = id, .node = make_.let(bound.node, bound.other, body)});
}

void ExprReader::subscript(SyntaxId id) {
  const std::uint32_t indices = tree()[id].arity - 1;
  collect(Is::element, id, indices);
  Value element = pop();
  const Value base = pop();
  if (base.is != Is::name) {
    fail(base.syntax, fmt::format("expected the name of a buffer, found {}", shown(base.syntax)));
  }
  element.subscripted = base.syntax;
  values_.push_back(element);
}

void ExprReader::keyword(SyntaxId id) {
  Value value = pop();
  value.keyword = id;
  values_.push_back(value);
}

// --- What values are asked for -----------------------------------------------------------------

NodeId ExprReader::expr(const Value& value) {
  switch (value.is) {
    case Is::node:
      if (is_expr(context_.builder.node(value.node).category())) return value.node;
      break;
    case Is::name:
      return named(value);
    case Is::string:
      return make_.string_imm(text::decode_string(name_of(value)));
    case Is::element: {
      const NodeId buffer = buffer_of(value);
      const std::vector<NodeId> indices = indices_of(value);
      if (!make_.is_loadable(buffer, indices)) {
        fail(value.syntax, "a load of more than 32767 lanes");
      }
      return make_.buffer_load(buffer, indices);
    }
    default:
      break;
  }
  fail(value.syntax, fmt::format("expected an expression, found {}", shown(value.syntax)));
}

/// What no statement defines is a variable that the function has from elsewhere.
NodeId ExprReader::named(const Value& value) {
  const std::string_view name = name_of(value);
  if (name == "?") return context_.builder.make(Kind::Any, {DType::Int(32)});
  if (const NodeId known = context_.names.find(name); known != NodeId::none) return known;
  if (name.ends_with(')')) {
    fail(value.syntax, fmt::format("'{}' is no function of TIR", name.substr(0, name.find('('))));
  }
  const NodeId variable = context_.var(name);
  context_.names.define_free(name, variable);
  return variable;
}

NodeId ExprReader::attr_value(const Value& value) {
  if (value.is == Is::string) return make_.string(text::decode_string(name_of(value)));
  const bool is_iter_var =
      value.is == Is::iter_var || (value.is == Is::name && unbound_iter_var(name_of(value)));
  if (is_iter_var) return iter_var(value, Binding::fresh);
  if (value.is == Is::node) return value.node;
  if (value.is == Is::name && context_.names.find(name_of(value)) == NodeId::none) {
    if (const auto dtype = parse_dtype(name_of(value))) return make_.prim_type(*dtype);
  }
  return expr(value);
}

bool ExprReader::is_null(const Value& value) const {
  return value.is == Is::name && name_of(value) == "nullptr";
}

std::vector<NodeId> ExprReader::exprs(const Value& list) {
  if (list.is != Is::list && list.is != Is::element) {
    fail(list.syntax, fmt::format("expected a list, found {}", shown(list.syntax)));
  }
  std::vector<NodeId> nodes;
  for (const Value& element : elements(list)) nodes.push_back(expr(element));
  return nodes;
}

NodeId ExprReader::var(const Value& value) {
  const NodeId node = expr(value);
  const Node variable = context_.builder.node(node);
  if (!variable.is(Kind::Var) && !variable.is(Kind::SizeVar)) {
    fail(value.syntax, fmt::format("expected a variable, found {}", shown(value.syntax)));
  }
  return node;
}

NodeId ExprReader::buffer_of(const Value& element) {
  return context_.buffers.accessed(text_of(element.subscripted), element.count);
}

std::vector<NodeId> ExprReader::indices_of(const Value& element) {
  return exprs(element);
}

NodeId ExprReader::buffer(const Value& value) {
  const bool is_buffer = value.is == Is::node && context_.builder.node(value.node).is(Kind::Buffer);
  if (!is_buffer) {
    fail(value.syntax,
         fmt::format("expected buffer(name, address), found {}", shown(value.syntax)));
  }
  return value.node;
}

/// `A[i, j:k]`; the ends of slices are printed, not their extents.
NodeId ExprReader::region(const Value& value) {
  if (value.is != Is::element) {
    fail(value.syntax, fmt::format("expected a region of a buffer, found {}", shown(value.syntax)));
  }
  std::vector<NodeId> ranges;
  for (const Value& part : elements(value)) {
    if (part.is == Is::slice) {
      const NodeId begin = expr(elements(part)[0]);
      const NodeId extent = make_.extent(begin, expr(elements(part)[1]));
      ranges.push_back(context_.builder.make(Kind::Range, {begin, extent}));
      context_.lose(LossCode::loop_extent, "regions");
      continue;
    }
    const NodeId one = make_.int32(1);
    context_.definitions.implied.push_back(one);
    ranges.push_back(context_.builder.make(Kind::Range, {expr(part), one}));
  }
  return context_.builder.make(Kind::BufferRegion,
                               {buffer_of(value), context_.builder.list(ranges)});
}

NodeId ExprReader::bounds(const Value& list) {
  if (list.is != Is::list || list.count != 2) {
    fail(list.syntax, fmt::format("expected [first, extent], found {}", shown(list.syntax)));
  }
  const NodeId first = expr(elements(list)[0]);
  return context_.builder.make(Kind::Range, {first, expr(elements(list)[1])});
}

NodeId ExprReader::range(const Value& value) {
  if (value.is != Is::node || !context_.builder.node(value.node).is(Kind::Range)) {
    fail(value.syntax, fmt::format("expected range(min=…, ext=…), found {}", shown(value.syntax)));
  }
  return value.node;
}

/// `a[i] if p`: only a load through a pointer has a predicate.
NodeId ExprReader::predicated_load(const Value& element, NodeId predicate) {
  if (element.is != Is::element || element.count != 1) {
    fail(element.syntax, fmt::format("expected a load, found {}", shown(element.syntax)));
  }
  Value pointer = element;
  pointer.is = Is::name;
  pointer.syntax = element.subscripted;
  const NodeId buffer_var = named(pointer);
  const NodeId at = expr(elements(element)[0]);
  context_.versions.observe(TvmFeature::loads_and_stores);
  const DType dtype = DType::Float(32).with_lanes(make_.dtype_of(at).lanes);
  return context_.builder.make(Kind::Load, {dtype, buffer_var, at, predicate});
}

}  // namespace mlf::tir::repr
