#include "tir/repr/expressions.h"

#include <fmt/core.h>

#include "tir/text/infix.h"
#include "tir/text/literals.h"

namespace mlf::tir::repr {
namespace {

using text::Syntax;

constexpr std::string_view kIterVar = "iter_var";

// Other widths make the printer of TVM fail.
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

/// A literal, `1f` and `nanf` included where they are no variables.
bool is_number(Context& c, SyntaxId id) {
  const SyntaxKind kind = c.exprs.syntax(id).kind;
  if (kind == SyntaxKind::integer || kind == SyntaxKind::real) return true;
  return kind == SyntaxKind::name && parse_real_name(c.exprs.text_of(id)) &&
         c.names.find(c.exprs.text_of(id)) == NodeId::none;
}

/// Makes one value of the last `count`, which become its elements.
void collect(Context& c, Value::Form form, SyntaxId id, std::uint32_t count) {
  Value made{.form = form, .syntax = id};
  c.exprs.add_elements(made, c.exprs.top(count));
  c.exprs.drop(count);
  c.exprs.push(made);
}

// --- Literals ----------------------------------------------------------------------------------

/// int32 and float64 have no suffix, float32 and float16 end with `f` and `h`; all of them are
/// printed with the six digits of a C++ stream.
NodeId read_number(Context& c, SyntaxId id, std::string_view sign) {
  const std::string text = std::string(sign).append(c.exprs.text_of(id));
  if (c.exprs.syntax(id).kind == SyntaxKind::integer) {
    const auto value = text::parse_integer(text);
    if (!value) c.exprs.fail(id, fmt::format("the number {} does not fit into 64 bits", text));
    if (text == "-0") return c.make.float_imm(DType::Float(64), -0.0);
    return c.make.int32(*value);
  }
  c.lose(LossCode::float_digits);
  if (c.exprs.syntax(id).kind == SyntaxKind::real) {
    const auto value = text::parse_real(text);
    if (!value) c.exprs.fail(id, fmt::format("expected a number, found '{}'", text));
    return c.make.float_imm(DType::Float(64), *value);
  }
  Real real = *parse_real_name(c.exprs.text_of(id));
  if (!sign.empty()) real.value = -real.value;
  return c.make.float_imm(real.dtype, real.value);
}

/// `(int64)5`.
void lower_typed_number(Context& c, SyntaxId id) {
  const Value value = c.exprs.pop();
  const Node literal = c.builder.node(value.node);
  const auto printed = c.slice(c.exprs.syntax(id).name_begin, c.exprs.syntax(id).name_end);
  const auto dtype = parse_dtype(printed.substr(1, printed.size() - 2));
  const bool is_integer = value.form == Value::Form::node && literal.is(Kind::IntImm);
  if (!is_integer || !dtype)
    c.exprs.fail(id, fmt::format("expected an integer, found {}", c.exprs.shown(id)));
  c.exprs.push(id, c.make.int_imm(*dtype, literal.integer(f::IntImm::value)));
}

// --- Operators ---------------------------------------------------------------------------------

/// `a[i] if p`: only a load through a pointer has a predicate.
NodeId read_predicated_load(Context& c, const Value& element, NodeId predicate) {
  if (element.form != Value::Form::element || element.count != 1) {
    c.exprs.fail_expected(element, "a load");
  }
  Value pointer = element;
  pointer.form = Value::Form::name;
  pointer.syntax = element.subscripted;
  const NodeId buffer_var = look_up(c, pointer);
  const NodeId at = as_expr(c, c.exprs.elements(element)[0]);
  c.versions.observe(TvmFeature::loads_and_stores);
  const DType dtype = DType::Float(32).with_lanes(c.make.dtype_of(at).lanes);
  return c.builder.make(Kind::Load, {dtype, buffer_var, at, predicate});
}

/// `x = v`, which is part of an expression behind `let` alone.
void lower_binding(Context& c, SyntaxId id) {
  const Value bound = c.exprs.pop();
  const Value name = c.exprs.pop();
  const NodeId node = as_expr(c, bound);
  if (name.form != Value::Form::name) c.exprs.fail(name.syntax, "expected a variable behind 'let'");
  const NodeId variable = c.var(c.exprs.name_of(name));
  c.definitions.values.emplace(index(variable), node);
  c.lets.push_back(c.names.mark());
  c.names.define(c.exprs.name_of(name), variable);
  c.exprs.push({.form = Value::Form::binding, .syntax = id, .node = variable, .other = node});
}

/// The name ends with the body: the next `let` may use it again.
void lower_let(Context& c, SyntaxId id) {
  const NodeId body = as_expr(c, c.exprs.pop());
  const Value bound = c.exprs.pop();
  if (bound.form != Value::Form::binding)
    c.exprs.fail(id, "expected 'variable = value' in front of 'in'");
  c.names.release(c.lets.back());
  c.lets.pop_back();
  c.exprs.push(
      {.form = Value::Form::let, .syntax = id, .node = c.make.let(bound.node, bound.other, body)});
}

/// All operators are in parentheses of their own, `/` and `%` are the truncating Div and Mod.
void lower_binary(Context& c, SyntaxId id) {
  const Sign sign = c.exprs.syntax(id).sign;
  if (sign == Sign::assign) return lower_binding(c, id);
  if (sign == Sign::in) return lower_let(c, id);
  const Value right = c.exprs.pop();
  const Value left = c.exprs.pop();
  if (sign == Sign::if_) return c.exprs.push(id, read_predicated_load(c, left, as_expr(c, right)));
  const NodeId a = as_expr(c, left);
  c.exprs.push(id, make_binary(c, *text::binary_kind(sign), a, as_expr(c, right)));
}

/// A minus is part of a literal, and `let` was made where its body ended.
void lower_unary(Context& c, SyntaxId id) {
  const Value operand = c.exprs.pop();
  switch (c.exprs.syntax(id).sign) {
    case Sign::not_:
      return c.exprs.push(id, c.make.logical_not(as_expr(c, operand)));
    case Sign::let:
      if (operand.form == Value::Form::let) return c.exprs.push(id, operand.node);
      break;
    default:
      break;
  }
  c.exprs.fail(id, fmt::format("expected an expression of TIR, found {}", c.exprs.shown(id)));
}

// --- Parts -------------------------------------------------------------------------------------

/// What is in front of the bracket stays a name: the number of indices says which buffer it is.
void lower_subscript(Context& c, SyntaxId id) {
  const std::uint32_t indices = c.exprs.syntax(id).arity - 1;
  collect(c, Value::Form::element, id, indices);
  Value element = c.exprs.pop();
  const Value base = c.exprs.pop();
  if (base.form != Value::Form::name) {
    c.exprs.fail_expected(base, "the name of a buffer");
  }
  element.subscripted = base.syntax;
  c.exprs.push(element);
}

/// `x(4*tir.vscale())(value)`: a broadcast to as many lanes as the machine has.
bool is_scalable_broadcast(Context& c, std::span<const Value> values) {
  return values.size() == 2 && values[0].form == Value::Form::node &&
         c.exprs.head_of(values[0].syntax) == kScalableBroadcast;
}

/// Operators, and nodes that are printed as calls. What an IterVar is made of depends on what is
/// around it, so that its parts are kept.
void lower_call(Context& c, SyntaxId id) {
  const std::uint32_t count = c.exprs.syntax(id).arity;
  const auto values = c.exprs.top(count);
  if (values[0].form == Value::Form::name && c.exprs.name_of(values[0]) == kIterVar) {
    collect(c, Value::Form::iter_var, id, count - 1);
    const Value parts = c.exprs.pop();
    c.exprs.top() = parts;
    return;
  }
  NodeId node = NodeId::none;
  if (is_scalable_broadcast(c, values)) {
    node = make_broadcast(c, id, as_expr(c, values[1]), values[0].node);
  } else if (values[0].form == Value::Form::name) {
    node = read_call(c, id, values);
  } else {
    c.exprs.fail(id, fmt::format("expected a call of a function, found {}", c.exprs.shown(id)));
  }
  c.exprs.drop(count);
  c.exprs.push(id, node);
}

// --- The loop ----------------------------------------------------------------------------------

/// Names and subscripts become nodes once it is known what they are asked for.
void lower_node(Context& c, SyntaxId id) {
  const Syntax& node = c.exprs.syntax(id);
  switch (node.kind) {
    case SyntaxKind::name:
      return c.exprs.push({.form = Value::Form::name, .syntax = id});
    case SyntaxKind::string:
      return c.exprs.push({.form = Value::Form::string, .syntax = id});
    case SyntaxKind::unary:
      return lower_unary(c, id);
    case SyntaxKind::binary:
      return lower_binary(c, id);
    case SyntaxKind::load_cast:
      return lower_typed_number(c, id);
    case SyntaxKind::keyword:
      c.exprs.top().keyword = id;
      return;
    case SyntaxKind::call:
      return lower_call(c, id);
    case SyntaxKind::subscript:
      return lower_subscript(c, id);
    case SyntaxKind::list:
    case SyntaxKind::tuple:
      return collect(c, Value::Form::list, id, node.arity);
    case SyntaxKind::slice:
      if (node.arity == 2) return collect(c, Value::Form::slice, id, node.arity);
      break;
    default:
      break;
  }
  c.exprs.fail(id, fmt::format("expected an expression of TIR, found {}", c.exprs.shown(id)));
}

/// Evaluates the nodes of a tree, parts before wholes. A minus and the literal behind it are one
/// constant.
void lower_nodes(Context& c, SyntaxId first, SyntaxId last) {
  for (SyntaxId id = first; id <= last; ++id) {
    if (!is_number(c, id)) {
      lower_node(c, id);
      continue;
    }
    const bool is_negated = id < last && c.exprs.syntax(id + 1).kind == SyntaxKind::unary &&
                            c.exprs.syntax(id + 1).sign == Sign::minus;
    c.exprs.push(id, read_number(c, id, is_negated ? "-" : ""));
    if (is_negated) ++id;
  }
}

}  // namespace

Value lower(Context& c, SyntaxId id) {
  lower_nodes(c, c.exprs.syntax(id).first, id);
  return c.exprs.pop();
}

}  // namespace mlf::tir::repr
