// What a place in the text makes of the value in it: an expression, a buffer, a region, …
#include <fmt/core.h>

#include "tir/repr/expressions.h"
#include "tir/text/literals.h"

namespace mlf::tir::repr {
namespace {

/// `2` may be the int32 or the float64 2: streams print both alike.
NodeId as_double(Context& c, NodeId number) {
  const Node node = c.builder.node(number);
  if (!node.is(Kind::IntImm) || node.dtype() != DType::Int(32)) return number;
  return c.make.float_imm(DType::Float(64), static_cast<double>(node.integer(f::IntImm::value)));
}

}  // namespace

/// The innermost variable of that hint, or a new one for the rest of the function; `?` is tir.Any.
/// What ends with a parenthesis is a call of a function that TIR does not have.
NodeId look_up(Context& c, const Value& value) {
  const std::string_view name = c.exprs.name_of(value);
  if (name == "?") return c.builder.make(Kind::Any, {DType::Int(32)});
  if (const NodeId known = c.names.find(name); known != NodeId::none) return known;
  if (name.ends_with(')')) {
    c.exprs.fail(value.syntax,
                 fmt::format("'{}' is not a function of TIR", name.substr(0, name.find('('))));
  }
  const NodeId variable = c.var(name);
  c.names.define_free(name, variable);
  return variable;
}

/// Only here is it decided what a name or a subscript was meant to be.
NodeId as_expr(Context& c, const Value& value) {
  switch (value.form) {
    case Value::Form::node:
      if (is_expr(c.builder.node(value.node).category())) return value.node;
      break;
    case Value::Form::name:
      return look_up(c, value);
    case Value::Form::string:
      return c.make.string_imm(text::decode_string(c.exprs.name_of(value)));
    case Value::Form::element: {
      const NodeId buffer = buffer_of(c, value);
      const std::vector<NodeId> indices = indices_of(c, value);
      if (!c.make.is_loadable(buffer, indices)) {
        c.exprs.fail(value.syntax, "a load of more than 32767 lanes");
      }
      return c.make.buffer_load(buffer, indices);
    }
    default:
      break;
  }
  c.exprs.fail_expected(value, "an expression");
}

/// A word that is not a variable of the function may be a dtype here: PrimType values print so.
NodeId as_attribute(Context& c, const Value& value) {
  if (value.form == Value::Form::string)
    return c.make.string(text::decode_string(c.exprs.name_of(value)));
  const bool is_iter_var =
      value.form == Value::Form::iter_var ||
      (value.form == Value::Form::name && unbound_iter_var(c.exprs.name_of(value)));
  if (is_iter_var) return as_iter_var(c, value, Binding::fresh);
  if (value.form == Value::Form::node) return value.node;
  if (value.form == Value::Form::name && c.names.find(c.exprs.name_of(value)) == NodeId::none) {
    if (const auto dtype = parse_dtype(c.exprs.name_of(value))) return c.make.prim_type(*dtype);
  }
  return as_expr(c, value);
}

bool is_null(Context& c, const Value& value) {
  return value.form == Value::Form::name && c.exprs.name_of(value) == "nullptr";
}

/// The indices of an element are a list as well.
std::vector<NodeId> as_exprs(Context& c, const Value& list) {
  if (list.form != Value::Form::list && list.form != Value::Form::element) {
    c.exprs.fail_expected(list, "a list");
  }
  std::vector<NodeId> nodes;
  for (const Value& element : c.exprs.elements(list)) nodes.push_back(as_expr(c, element));
  return nodes;
}

NodeId as_var(Context& c, const Value& value) {
  const NodeId node = as_expr(c, value);
  const Node variable = c.builder.node(node);
  if (!variable.is(Kind::Var) && !variable.is(Kind::SizeVar)) {
    c.exprs.fail_expected(value, "a variable");
  }
  return node;
}

/// The operands of a reducer: its result is in front of them, so that their names are known
/// already.
std::vector<NodeId> as_vars(Context& c, const Value& list) {
  std::vector<NodeId> nodes;
  if (list.form != Value::Form::list) c.exprs.fail(list.syntax, "expected a list of variables");
  for (const Value& element : c.exprs.elements(list)) nodes.push_back(as_var(c, element));
  return nodes;
}

NodeId as_lanes(Context& c, const Value& value) {
  const NodeId lanes = as_expr(c, value);
  const auto known = c.make.lanes_of(lanes);
  if (known && *known < 0) c.versions.observe(TvmFeature::lanes_as_nodes);
  if (!known) c.exprs.fail_expected(value, "a number of lanes from 1 to 32767");
  return lanes;
}

NodeId buffer_of(Context& c, const Value& element) {
  return c.buffers.accessed(c.exprs.text_of(element.subscripted), element.count);
}

std::vector<NodeId> indices_of(Context& c, const Value& element) {
  return as_exprs(c, element);
}

/// Where a buffer itself is meant, the printer writes its address as well.
NodeId as_buffer(Context& c, const Value& value) {
  const bool is_buffer =
      value.form == Value::Form::node && c.builder.node(value.node).is(Kind::Buffer);
  if (!is_buffer) {
    c.exprs.fail_expected(value, "buffer(name, address)");
  }
  return value.node;
}

/// `A[i, j:k]`; the ends of slices are printed, not their extents.
NodeId as_region(Context& c, const Value& value) {
  if (value.form != Value::Form::element) {
    c.exprs.fail_expected(value, "a region of a buffer");
  }
  std::vector<NodeId> ranges;
  for (const Value& part : c.exprs.elements(value)) {
    if (part.form == Value::Form::slice) {
      const NodeId begin = as_expr(c, c.exprs.elements(part)[0]);
      const NodeId extent = c.make.extent(begin, as_expr(c, c.exprs.elements(part)[1]));
      ranges.push_back(c.builder.make(Kind::Range, {begin, extent}));
      c.lose(LossCode::loop_extent);
      continue;
    }
    const NodeId one = c.make.int32(1);
    c.definitions.implied.push_back(one);
    ranges.push_back(c.builder.make(Kind::Range, {as_expr(c, part), one}));
  }
  return c.builder.make(Kind::BufferRegion, {buffer_of(c, value), c.builder.list(ranges)});
}

/// Unlike regions and legacy text, bounds have the extent, not the end.
NodeId as_bounds(Context& c, const Value& list) {
  if (list.form != Value::Form::list || list.count != 2) {
    c.exprs.fail_expected(list, "[first, extent]");
  }
  const NodeId first = as_expr(c, c.exprs.elements(list)[0]);
  return c.builder.make(Kind::Range, {first, as_expr(c, c.exprs.elements(list)[1])});
}

/// `range(min=0, ext=4)`, the domain of an IterVar.
NodeId as_range(Context& c, const Value& value) {
  if (value.form != Value::Form::node || !c.builder.node(value.node).is(Kind::Range)) {
    c.exprs.fail_expected(value, "range(min=…, ext=…)");
  }
  return value.node;
}

/// Makes `a op b`. A float64 without a fraction is printed like an int32: where the other operand
/// is a float64 constant, it is one.
NodeId make_binary(Context& c, Kind kind, NodeId a, NodeId b) {
  const bool is_double = c.make.dtype_of(a) == DType::Float(64);
  if (is_double != (c.make.dtype_of(b) == DType::Float(64)))
    (is_double ? b : a) = as_double(c, is_double ? b : a);
  return c.make.binary(kind, a, b);
}

}  // namespace mlf::tir::repr
