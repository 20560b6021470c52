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
using Form = Value::Form;

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

// --- The loop ----------------------------------------------------------------------------------

Value ExprReader::value(SyntaxId id) {
  run(tree()[id].first, id);
  return pop();
}

/// A literal, `1f` and `nanf` included where they are no variables.
bool ExprReader::is_number(SyntaxId id) const {
  const SyntaxKind kind = tree()[id].kind;
  if (kind == SyntaxKind::integer || kind == SyntaxKind::real) return true;
  return kind == SyntaxKind::name && parse_real_name(text_of(id)) &&
         context_.names.find(text_of(id)) == NodeId::none;
}

/// Evaluates the nodes of a tree, parts before wholes. A minus and the literal behind it are one
/// constant.
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
      return push({.form = Form::name, .syntax = id});
    case SyntaxKind::string:
      return push({.form = Form::string, .syntax = id});
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
      return collect(Form::list, id, node.arity);
    case SyntaxKind::slice:
      if (node.arity == 2) return collect(Form::slice, id, node.arity);
      break;
    default:
      break;
  }
  fail(id, fmt::format("expected an expression of TIR, found {}", shown(id)));
}

/// Makes one value of the last `count`, which become its elements.
void ExprReader::collect(Form form, SyntaxId id, std::uint32_t count) {
  Value made{.form = form, .syntax = id};
  add_elements(made, top(count));
  drop(count);
  push(made);
}

// --- Literals ----------------------------------------------------------------------------------

/// int32 and float64 have no suffix, float32 and float16 end with `f` and `h`; all of them are
/// printed with the six digits of a C++ stream.
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
  const bool is_integer = value.form == Form::node && literal.is(Kind::IntImm);
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
      if (operand.form == Form::let) return push(id, operand.node);
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
  if (name.form != Form::name) fail(name.syntax, "expected a variable behind 'let'");
  const NodeId variable = context_.var(name_of(name));
  context_.definitions.values.emplace(index(variable), node);
  lets_.push_back(context_.names.mark());
  context_.names.define(name_of(name), variable);
  push({.form = Form::binding, .syntax = id, .node = variable, .other = node});
}

void ExprReader::let_body(SyntaxId id) {
  const NodeId body = expr(pop());
  const Value bound = pop();
  if (bound.form != Form::binding) fail(id, "expected 'variable = value' in front of 'in'");
  context_.names.release(lets_.back());
  lets_.pop_back();
  push({.form = Form::let, .syntax = id, .node = make_.let(bound.node, bound.other, body)});
}

void ExprReader::subscript(SyntaxId id) {
  const std::uint32_t indices = tree()[id].arity - 1;
  collect(Form::element, id, indices);
  Value element = pop();
  const Value base = pop();
  if (base.form != Form::name) {
    fail_expected(base, "the name of a buffer");
  }
  element.subscripted = base.syntax;
  push(element);
}

void ExprReader::keyword(SyntaxId id) {
  Value value = pop();
  value.keyword = id;
  push(value);
}

// --- What values are asked for -----------------------------------------------------------------

NodeId ExprReader::expr(const Value& value) {
  switch (value.form) {
    case Form::node:
      if (is_expr(context_.builder.node(value.node).category())) return value.node;
      break;
    case Form::name:
      return named(value);
    case Form::string:
      return make_.string_imm(text::decode_string(name_of(value)));
    case Form::element: {
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
  fail_expected(value, "an expression");
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

/// A word that is not a variable of the function may be a dtype here: PrimType values print so.
NodeId ExprReader::attr_value(const Value& value) {
  if (value.form == Form::string) return make_.string(text::decode_string(name_of(value)));
  const bool is_iter_var = value.form == Form::iter_var ||
                           (value.form == Form::name && unbound_iter_var(name_of(value)));
  if (is_iter_var) return iter_var(value, Binding::fresh);
  if (value.form == Form::node) return value.node;
  if (value.form == Form::name && context_.names.find(name_of(value)) == NodeId::none) {
    if (const auto dtype = parse_dtype(name_of(value))) return make_.prim_type(*dtype);
  }
  return expr(value);
}

bool ExprReader::is_null(const Value& value) const {
  return value.form == Form::name && name_of(value) == "nullptr";
}

std::vector<NodeId> ExprReader::exprs(const Value& list) {
  if (list.form != Form::list && list.form != Form::element) {
    fail_expected(list, "a list");
  }
  std::vector<NodeId> nodes;
  for (const Value& element : elements(list)) nodes.push_back(expr(element));
  return nodes;
}

NodeId ExprReader::var(const Value& value) {
  const NodeId node = expr(value);
  const Node variable = context_.builder.node(node);
  if (!variable.is(Kind::Var) && !variable.is(Kind::SizeVar)) {
    fail_expected(value, "a variable");
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
  const bool is_buffer =
      value.form == Form::node && context_.builder.node(value.node).is(Kind::Buffer);
  if (!is_buffer) {
    fail_expected(value, "buffer(name, address)");
  }
  return value.node;
}

/// `A[i, j:k]`; the ends of slices are printed, not their extents.
NodeId ExprReader::region(const Value& value) {
  if (value.form != Form::element) {
    fail_expected(value, "a region of a buffer");
  }
  std::vector<NodeId> ranges;
  for (const Value& part : elements(value)) {
    if (part.form == Form::slice) {
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
  if (list.form != Form::list || list.count != 2) {
    fail_expected(list, "[first, extent]");
  }
  const NodeId first = expr(elements(list)[0]);
  return context_.builder.make(Kind::Range, {first, expr(elements(list)[1])});
}

NodeId ExprReader::range(const Value& value) {
  if (value.form != Form::node || !context_.builder.node(value.node).is(Kind::Range)) {
    fail_expected(value, "range(min=…, ext=…)");
  }
  return value.node;
}

/// `a[i] if p`: only a load through a pointer has a predicate.
NodeId ExprReader::predicated_load(const Value& element, NodeId predicate) {
  if (element.form != Form::element || element.count != 1) {
    fail_expected(element, "a load");
  }
  Value pointer = element;
  pointer.form = Form::name;
  pointer.syntax = element.subscripted;
  const NodeId buffer_var = named(pointer);
  const NodeId at = expr(elements(element)[0]);
  context_.versions.observe(TvmFeature::loads_and_stores);
  const DType dtype = DType::Float(32).with_lanes(make_.dtype_of(at).lanes);
  return context_.builder.make(Kind::Load, {dtype, buffer_var, at, predicate});
}

}  // namespace mlf::tir::repr
