#include "tir/legacy/expressions.h"

#include <fmt/core.h>

#include <algorithm>

#include "tir/text/infix.h"

namespace mlf::tir::legacy {
namespace {

using text::Sign;
using text::Syntax;
using text::SyntaxId;
using text::SyntaxKind;

}  // namespace

// --- The loop ----------------------------------------------------------------------------------

Value ExprReader::value(SyntaxId id) {
  run(tree()[id].first, id);
  return pop();
}

std::vector<Value> ExprReader::subscript_parts(SyntaxId id) {
  const std::size_t before = depth();
  if (id > tree()[id].first) run(tree()[id].first, id - 1);
  const auto found = top(depth() - before);
  const std::vector<Value> parts(found.begin(), found.end());
  drop(parts.size());
  return parts;
}

/// Evaluates the nodes of a tree, parts before wholes. A minus and the literal behind it are one
/// constant.
void ExprReader::run(SyntaxId first, SyntaxId last) {
  for (SyntaxId id = first; id <= last; ++id) {
    const Syntax& node = tree()[id];
    const bool is_negated = (node.kind == SyntaxKind::integer || node.kind == SyntaxKind::real) &&
                            id < last && tree()[id + 1].kind == SyntaxKind::unary &&
                            tree()[id + 1].sign == Sign::minus;
    if (is_negated) {
      push(id + 1, number(id, true));
      ++id;
    } else {
      leaf_or_one(id);
    }
  }
}

void ExprReader::leaf_or_one(SyntaxId id) {
  switch (tree()[id].kind) {
    case SyntaxKind::name:
      return push({.form = Value::Form::name, .syntax = id});
    case SyntaxKind::integer:
    case SyntaxKind::real:
      return push(id, number(id, false));
    case SyntaxKind::string:
      return push({.form = Value::Form::string, .syntax = id});
    case SyntaxKind::absent:
      return push({.form = Value::Form::absent, .syntax = id});
    case SyntaxKind::unary:
      return unary(id);
    case SyntaxKind::binary:
      return binary(id);
    case SyntaxKind::annotation:
      return annotation(id);
    case SyntaxKind::keyword:
      top().keyword = id;
      return;
    case SyntaxKind::call:
      return call(id);
    case SyntaxKind::subscript:
      return subscript(id);
    case SyntaxKind::load_cast:
      return load_cast(id);
    case SyntaxKind::slice:
      return slice(id);
    case SyntaxKind::list:
      return list(id);
    default:
      fail(id, fmt::format("expected an expression, found {}", shown(id)));
  }
}

void ExprReader::unary(SyntaxId id) {
  const Value operand = top();
  if (tree()[id].sign == Sign::let) {
    // Already made where `in` was met.
    if (tree()[id - 1].kind != SyntaxKind::binary || tree()[id - 1].sign != Sign::in) {
      fail(id, "expected 'let', a variable, '=', a value, 'in' and a body");
    }
    return;
  }
  if (tree()[id].sign == Sign::minus) {
    const NodeId node =
        operand.form == Value::Form::name ? literal(name_of(operand), "-") : NodeId::none;
    if (node == NodeId::none) fail(id, fmt::format("expected a number, found {}", shown(id)));
    drop(1);
    return push(id, node);
  }
  const NodeId inner = expr(operand);
  drop(1);
  push(id, make_.logical_not(inner));
}

void ExprReader::binary(SyntaxId id) {
  switch (tree()[id].sign) {
    case Sign::assign:
      return binding(id);
    case Sign::in:
      return let(id);
    case Sign::if_:
      return predicated(id);
    default:
      break;
  }
  const auto operands = top(2);
  const NodeId a = expr(operands[0]);
  const NodeId b = expr(operands[1]);
  drop(2);
  push(id, make_.binary(*text::binary_kind(tree()[id].sign), a, b));
}

void ExprReader::binding(SyntaxId id) {
  const auto operands = top(2);
  const NodeId variable = var(operands[0]);
  const NodeId bound = expr(operands[1]);
  drop(2);
  push({.form = Value::Form::binding, .syntax = id, .node = variable, .other = bound});
}

void ExprReader::let(SyntaxId id) {
  const auto operands = top(2);
  if (operands[0].form != Value::Form::binding) {
    fail(id, fmt::format("expected a variable, '=' and a value in front of 'in', found {}",
                         shown(operands[0].syntax)));
  }
  const Value bound = operands[0];
  const NodeId body = expr(operands[1]);
  drop(2);
  push(id, make_.let(bound.node, bound.other, body));
}

/// `load if predicate`
void ExprReader::predicated(SyntaxId id) {
  const auto operands = top(2);
  const NodeId load = expr(operands[0]);
  const NodeId predicate = expr(operands[1]);
  if (!context_.builder.node(load).is(Kind::Load)) {
    fail(id, fmt::format("expected a load in front of 'if', found {}", shown(operands[0].syntax)));
  }
  context_.builder.set(load, f::Load::predicate, predicate);
  drop(2);
  push(id, load);
}

/// `x: T` where a variable is printed for the first time; of `A: Buffer(…)` only the head is made
/// here, the call around it defines the buffer.
void ExprReader::annotation(SyntaxId id) {
  Value& name = top();
  if (name.form != Value::Form::name) {
    fail(id, fmt::format("expected a name in front of a type, found {}", shown(name.syntax)));
  }
  std::string_view type = context_.slice(tree()[id].name_begin, tree()[id].name_end);
  if (type.starts_with(' ')) type.remove_prefix(1);
  if (type == "Buffer" || type == "DataProducer") {
    name.form = Value::Form::head;
    return;
  }
  NodeId variable = context_.names.find(name_of(name));
  if (variable == NodeId::none) variable = define_var(name_of(name), context_.types.read(type));
  name.form = Value::Form::node;
  name.is_annotated = true;
  name.node = variable;
}

/// `(float32*)v[i]`, a Load. A predicate that is constant true is not printed.
void ExprReader::load_cast(SyntaxId id) {
  const Value element = top();
  const Syntax& node = tree()[id];
  if (element.form != Value::Form::element || element.count != 1) {
    fail(id, fmt::format("expected a variable with one index behind '{}'",
                         context_.slice(node.name_begin, node.name_end)));
  }
  std::string_view type = context_.slice(node.name_begin, node.name_end);
  type = type.substr(1, type.size() - 3);
  const NodeId pointer = var(element);
  const NodeId index = expr(elements(element)[0]);
  NodeId predicate = make_.boolean(1);
  const DType index_dtype = make_.dtype_of(index);
  if (!index_dtype.is_scalar()) {
    predicate = make_.broadcast(predicate, make_.int32(index_dtype.lanes));
  }
  context_.note_variable_access();
  drop(1);
  push(id, context_.builder.make(Kind::Load, {*parse_dtype(type), pointer, index, predicate}));
}

void ExprReader::slice(SyntaxId id) {
  const std::uint32_t count = tree()[id].arity;
  const auto bounds = top(count);
  if (count != 2 || bounds[0].form == Value::Form::absent ||
      bounds[1].form == Value::Form::absent) {
    fail(id, "expected a range of the form begin:end");
  }
  const NodeId begin = expr(bounds[0]);
  const NodeId end = expr(bounds[1]);
  drop(count);
  const NodeId extent = make_.extent(begin, end, context_.function());
  push(id, context_.builder.make(Kind::Range, {begin, extent}));
}

void ExprReader::list(SyntaxId id) {
  const std::uint32_t count = tree()[id].arity;
  std::vector<Value> parts(top(count).begin(), top(count).end());
  for (Value& part : parts) {
    // Only attributes hold lists of lists; making the inner ones here keeps this a loop.
    if (part.form != Value::Form::list) continue;
    part = {.form = Value::Form::node, .syntax = part.syntax, .node = attr_value(part)};
  }
  drop(count);
  Value made{.form = Value::Form::list, .syntax = id};
  add_elements(made, parts);
  push(made);
}

/// `A[i, j]`, which is a BufferLoad, or a BufferRegion where one index is a range. Subscripts of
/// variables, producers and dtypes wait for what is around them.
void ExprReader::subscript(SyntaxId id) {
  const std::uint32_t count = tree()[id].arity;
  const auto parts = top(count);
  const Value base = parts[0];
  const auto indices = parts.subspan(1);
  const bool is_dtype = base.form == Value::Form::name &&
                        context_.names.find(name_of(base)) == NodeId::none &&
                        parse_dtype(name_of(base)).has_value();
  const NodeId subscripted = is_dtype ? NodeId::none : named(base);
  if (subscripted == NodeId::none || !context_.builder.node(subscripted).is(Kind::Buffer)) {
    Value element{.form = Value::Form::element, .syntax = id, .node = subscripted};
    add_elements(element, indices);
    drop(count);
    return push(element);
  }
  if (indices.size() > 1) context_.is_flat = false;
  const bool is_region = std::ranges::any_of(indices, [&](const Value& index) {
    return index.form == Value::Form::node && context_.builder.node(index.node).is(Kind::Range);
  });
  scratch_.clear();
  for (const Value& index : indices) scratch_.push_back(is_region ? range(index) : expr(index));
  const NodeId node = is_region
                          ? context_.builder.make(Kind::BufferRegion,
                                                  {subscripted, context_.builder.list(scratch_)})
                          : make_.buffer_load(subscripted, scratch_);
  drop(count);
  push(id, node);
}

/// Definitions of buffers and producers, operators (`@tir.exp(…)`), and nodes printed as calls.
void ExprReader::call(SyntaxId id) {
  const std::uint32_t count = tree()[id].arity;
  const auto values = top(count);
  const Value callee = values[0];
  NodeId node = NodeId::none;
  if (callee.form == Value::Form::head) {
    const Syntax& annotation = tree()[tree()[id].first + 1];
    const std::string_view what = context_.slice(annotation.name_begin, annotation.name_end);
    node = what.ends_with("Buffer") ? define_buffer(values) : define_producer(values);
  } else if (callee.form != Value::Form::name) {
    fail_expected(callee, "a function");
  } else if (name_of(callee).starts_with('@')) {
    node = call_operator(id, values);
  } else {
    const auto found = functions().find(name_of(callee));
    if (found == functions().end()) {
      fail(callee.syntax, fmt::format("'{}' is no function of TIR", name_of(callee)));
    }
    if (count - 1 < found->second.arguments) {
      fail(id, fmt::format("expected {} arguments of {}, found {}", found->second.arguments,
                           name_of(callee), count - 1));
    }
    node = (this->*found->second.handler)(id, values.subspan(1));
  }
  drop(count);
  push(id, node);
}

}  // namespace mlf::tir::legacy
