// Expressions of the legacy text, and everything that it prints as a call: operators, functions of
// the module, and some nodes.
#include "tir/legacy/context.h"

#include <fmt/core.h>

#include <algorithm>

#include "tir/node_queries.h"
#include "tir/text/op_table.h"

namespace mlf::tir::legacy {

// --- Calls -------------------------------------------------------------------------------------

namespace {

// Since v0.9 the printer writes the name of the intrinsic in place of its number.
constexpr std::string_view kLlvmPureIntrinsic = "tir.call_llvm_pure_intrin";

/// `@tir.exp(x, dtype=float32)`, `@f(…)`: an Op by its namespace, else a function of the module.
NodeId read_operator(Context& c, SyntaxId id, std::span<const Value> values) {
  const std::string_view name = c.values.text(values[0]).substr(1);
  const Value& last = values.back();
  if (values.size() < 2 || last.kind != ValueKind::keyword) {
    c.values.fail(id, fmt::format("expected 'dtype=' as the last argument of @{}", name));
  }
  const DType result = as_dtype(c, c.values.keyword_value(last));
  std::vector<NodeId>& arguments = c.scratch;
  arguments.clear();
  for (const Value& argument : values.subspan(1, values.size() - 2)) {
    arguments.push_back(as_expr(c, argument));
  }
  if (name == kLlvmPureIntrinsic && values[1].kind == ValueKind::string) {
    c.versions.observe(TvmFeature::names_pure_llvm_intrinsics);
    c.lose(LossCode::llvm_intrinsic, c.values.text(values[1].syntax));
  }
  const bool is_operator = name.starts_with("tir.");
  if (const text::OpInfo* const known = text::find_op(name)) c.versions.at_least(known->since);
  return c.make.call(is_operator ? c.make.op(name) : c.make.global_var(name), arguments, result);
}

template <Kind kind>
NodeId read_binary(Context& c, SyntaxId, std::span<const Value> arguments) {
  const NodeId a = as_expr(c, arguments[0]);
  return c.make.binary(kind, a, as_expr(c, arguments[1]));
}

NodeId read_select(Context& c, SyntaxId, std::span<const Value> arguments) {
  const NodeId condition = as_expr(c, arguments[0]);
  const NodeId true_value = as_expr(c, arguments[1]);
  return c.make.select(condition, true_value, as_expr(c, arguments[2]));
}

/// A number of lanes, which TVM prints as a decimal before v0.16 and as an expression since.
NodeId as_lanes(Context& c, const Value& value) {
  const NodeId lanes = as_expr(c, value);
  const auto known = text::lanes_of(c.node(lanes));
  if (!known) fail_expected(c, value, "a number of lanes from 1 to 32767");
  if (*known < 0) c.versions.observe(TvmFeature::lanes_as_nodes);
  return lanes;
}

NodeId read_ramp(Context& c, SyntaxId, std::span<const Value> arguments) {
  const NodeId base = as_expr(c, arguments[0]);
  const NodeId stride = as_expr(c, arguments[1]);
  return c.make.ramp(base, stride, as_lanes(c, arguments[2]));
}

NodeId read_broadcast(Context& c, SyntaxId, std::span<const Value> arguments) {
  const NodeId value = as_expr(c, arguments[0]);
  return c.make.broadcast(value, as_lanes(c, arguments[1]));
}

NodeId read_cast(Context& c, SyntaxId, std::span<const Value> arguments) {
  const DType dtype = as_dtype(c, arguments[0]);
  return c.make.cast(dtype, as_expr(c, arguments[1]));
}

/// `shuffle([vectors], [indices])`.
NodeId read_shuffle(Context& c, SyntaxId id, std::span<const Value> arguments) {
  const std::vector<NodeId> vectors = as_exprs(c, arguments[0]);
  const std::vector<NodeId> indices = as_exprs(c, arguments[1]);
  if (vectors.empty() || indices.empty())
    c.values.fail(id, "expected vectors and indices in shuffle");
  return c.make.shuffle(vectors, indices);
}

/// `reduce(combiner, [source], [axis], value_index, [init])`: the condition is not printed.
NodeId read_reduce(Context& c, SyntaxId id, std::span<const Value> arguments) {
  Builder& builder = c.builder;
  const NodeId combiner = as_attribute(c, arguments[0]);
  const std::vector<NodeId> sources = as_exprs(c, arguments[1]);
  std::vector<NodeId> axes;
  for (const Value& axis : c.values.items(arguments[2])) axes.push_back(as_attribute(c, axis));
  const std::int64_t index = as_integer(c, arguments[3]);
  if (index < 0 || static_cast<std::size_t>(index) >= sources.size()) {
    c.values.fail(id,
                  fmt::format("expected a value_index below {}, found {}", sources.size(), index));
  }
  const std::vector<NodeId> init = as_exprs(c, arguments[4]);
  c.lose(LossCode::reduce_fields);
  if (init.empty()) c.lose(LossCode::undefined_list, "Reduce.init");
  const DType dtype = c.make.dtype_of(sources[static_cast<std::size_t>(index)]);
  return builder.make(Kind::Reduce, {dtype, combiner, builder.list(sources), builder.list(init),
                                     builder.list(axes), NodeId::none, index});
}

/// `IterVar(v: int32, [0:16], "ThreadIndex", "threadIdx.x")`; `(nullptr)` for no domain.
NodeId read_iter_var(Context& c, SyntaxId, std::span<const Value> arguments) {
  const NodeId variable = as_var(c, arguments[0]);
  NodeId domain = NodeId::none;
  if (arguments[1].kind == ValueKind::list) {
    const std::vector<NodeId> bounds = as_ranges(c, arguments[1]);
    if (bounds.size() != 1) c.values.fail(arguments[1].syntax, "expected one range in the domain");
    domain = bounds[0];
  }
  const std::string type = as_string(c, arguments[2]);
  const auto types = enum_names(Expects::iter_var_type);
  const auto found = std::ranges::find(types, type);
  if (found == types.end()) {
    c.values.fail(arguments[2].syntax,
                  fmt::format("expected the type of an IterVar, found \"{}\"", type));
  }
  const auto iter_type = static_cast<IterVarType>(found - types.begin());
  return c.builder.make(
      Kind::IterVar, {domain, variable, iter_type, c.builder.string(as_string(c, arguments[3]))});
}

/// `name(…)` with at least this number of arguments, which become nodes in the order of the text.
struct PrintedFunction {
  std::string_view name;
  std::size_t count;
  NodeId (*read)(Context& c, SyntaxId call, std::span<const Value> arguments);
};

constexpr PrintedFunction kFunctions[] = {
    {"floordiv", 2, read_binary<Kind::FloorDiv>},
    {"floormod", 2, read_binary<Kind::FloorMod>},
    {"min", 2, read_binary<Kind::Min>},
    {"max", 2, read_binary<Kind::Max>},
    {"select", 3, read_select},
    {"ramp", 3, read_ramp},
    {"broadcast", 2, read_broadcast},
    {"cast", 2, read_cast},
    {"shuffle", 2, read_shuffle},
    {"reduce", 5, read_reduce},
    {"IterVar", 4, read_iter_var},
};

NodeId read_call(Context& c, SyntaxId id, std::span<const Value> values) {
  if (values[0].kind != ValueKind::name) fail_expected(c, values[0], "a function");
  const std::string_view name = c.values.text(values[0]);
  if (name.starts_with('@')) return read_operator(c, id, values);
  const auto* const function = std::ranges::find(kFunctions, name, &PrintedFunction::name);
  if (function == std::end(kFunctions)) {
    c.values.fail(values[0].syntax, fmt::format("'{}' is not a function of TIR", name));
  }
  const auto arguments = values.subspan(1);
  if (arguments.size() < function->count) {
    c.values.fail(id, fmt::format("expected {} arguments of {}, found {}", function->count, name,
                                  arguments.size()));
  }
  return function->read(c, id, arguments);
}

// --- Lowering ----------------------------------------------------------------------------------

/// The reader of literals takes the minus before a literal, so only `-inff32` remains here.
void lower_unary(Context& c, SyntaxId id) {
  const Value operand = c.values.top();
  if (c.values.syntax(id).sign == Sign::let) {
    // Already made where `in` was met.
    if (!is_binary(c, id - 1, Sign::in)) {
      c.values.fail(id, "expected 'let', a variable, '=', a value, 'in' and a body");
    }
    return;
  }
  if (c.values.syntax(id).sign == Sign::minus) {
    const NodeId node = operand.kind == ValueKind::name
                            ? named_constant(c, c.values.text(operand), "-")
                            : NodeId::none;
    if (node == NodeId::none)
      c.values.fail(id, fmt::format("expected a number, found {}", shown(c, id)));
    return c.values.replace(1, node, id);
  }
  const NodeId inner = as_expr(c, operand);
  c.values.replace(1, c.make.logical_not(inner), id);
}

/// The annotation before the value defines the variable of a `let`.
void lower_binding(Context& c, SyntaxId id) {
  const auto operands = c.values.top(2);
  const NodeId variable = as_var(c, operands[0]);
  const NodeId bound = as_expr(c, operands[1]);
  c.values.replace(2, bound, id);
  c.values.gather(ValueKind::binding, id, 1).node = variable;
}

/// `let` has the form `let x: T = v in body` without parentheses. Its body is one operand.
void lower_let(Context& c, SyntaxId id) {
  const auto operands = c.values.top(2);
  if (operands[0].kind != ValueKind::binding) {
    c.values.fail(id, fmt::format("expected a variable, '=' and a value in front of 'in', found {}",
                                  shown(c, operands[0].syntax)));
  }
  const Value bound = operands[0];
  const NodeId body = as_expr(c, operands[1]);
  c.values.replace(2, c.make.let(bound.node, c.values.item(bound, 0).node, body), id);
}

/// `load if predicate`
void lower_predicated(Context& c, SyntaxId id) {
  const auto operands = c.values.top(2);
  const NodeId load = as_expr(c, operands[0]);
  const NodeId predicate = as_expr(c, operands[1]);
  if (!c.is(load, Kind::Load)) {
    c.values.fail(id, fmt::format("expected a load in front of 'if', found {}",
                                  shown(c, operands[0].syntax)));
  }
  c.builder.set(load, f::Load::predicate, predicate);
  c.values.replace(2, load, id);
}

/// Every operator but `let` is in its own parentheses. `/` and `%` are the truncating Div and Mod.
void lower_binary(Context& c, SyntaxId id) {
  switch (c.values.syntax(id).sign) {
    case Sign::assign:
      return lower_binding(c, id);
    case Sign::in:
      return lower_let(c, id);
    case Sign::if_:
      return lower_predicated(c, id);
    default:
      break;
  }
  const auto operands = c.values.top(2);
  const NodeId a = as_expr(c, operands[0]);
  const NodeId b = as_expr(c, operands[1]);
  c.values.replace(
      2,
      c.make.binary(
          std::ranges::find(kBinarySigns, c.values.syntax(id).sign, &BinarySign::sign)->kind, a, b),
      id);
}

/// `x: T`, the first mention of a variable. Of `A: Buffer(…)`, makes only the head; the call around
/// it defines the buffer.
void lower_annotation(Context& c, SyntaxId id) {
  Value& name = c.values.top();
  if (name.kind != ValueKind::name) {
    c.values.fail(
        id, fmt::format("expected a name in front of a type, found {}", shown(c, name.syntax)));
  }
  std::string_view type = c.values.name(id);
  if (type.starts_with(' ')) type.remove_prefix(1);
  if (type == "Buffer" || type == "DataProducer") {
    name.kind = ValueKind::definition;
    return;
  }
  NodeId variable = c.names.find(c.values.text(name));
  if (variable == NodeId::none) variable = define_var(c, c.values.text(name), read_type(c, type));
  if (!c.is(variable, Kind::Var)) fail_expected(c, name, "a variable");
  const Syntax& annotation = c.values.syntax(id);
  c.note_pointee(variable, annotation.name_begin, annotation.name_end, {});
  name.kind = ValueKind::node;
  name.node = variable;
}

/// `(float32*)v[i]`, a Load. TVM does not print a predicate that is constant true.
void lower_load_cast(Context& c, SyntaxId id) {
  const Value element = c.values.top();
  const Syntax& node = c.values.syntax(id);
  if (element.kind != ValueKind::access || element.count != 1) {
    c.values.fail(id, fmt::format("expected a variable with one index behind '{}'",
                                  c.slice(node.name_begin, node.name_end)));
  }
  std::string_view type = c.slice(node.name_begin, node.name_end);
  type = type.substr(1, type.size() - 3);
  const NodeId pointer = as_var(c, element);
  const NodeId index = as_expr(c, c.values.items(element)[0]);
  const NodeId predicate = note_variable_access(c, index);
  const NodeId load = c.builder.make(Kind::Load, {*parse_dtype(type), pointer, index, predicate});
  c.values.replace(1, load, id);
}

/// The printer writes min and min + extent; the reader computes the extent.
void lower_slice(Context& c, SyntaxId id) {
  const std::uint32_t count = c.values.syntax(id).arity;
  const auto bounds = c.values.top(count);
  if (count != 2 || bounds[0].kind == ValueKind::absent || bounds[1].kind == ValueKind::absent) {
    c.values.fail(id, "expected a range of the form begin:end");
  }
  const NodeId begin = as_expr(c, bounds[0]);
  const NodeId end = as_expr(c, bounds[1]);
  c.values.replace(count, c.make.range(begin, end, c.function()), id);
}

void lower_list(Context& c, SyntaxId id) {
  const Value list = c.values.gather(ValueKind::list, id);
  for (std::size_t i = 0; i < list.count; ++i) {
    // Only attributes hold lists of lists; making the inner ones here keeps this a loop.
    const Value part = c.values.item(list, i);
    if (part.kind != ValueKind::list) continue;
    c.values.set_item(
        list, i, {.kind = ValueKind::node, .syntax = part.syntax, .node = as_attribute(c, part)});
  }
}

/// `A[i, j]`: a BufferLoad, or a BufferRegion if one index is a range. Subscripts of variables,
/// producers and dtypes stay values until the expression around them is known.
void lower_subscript(Context& c, SyntaxId id) {
  const std::uint32_t count = c.values.syntax(id).arity;
  const auto parts = c.values.top(count);
  const Value base = parts[0];
  const auto indices = parts.subspan(1);
  const bool is_dtype = base.kind == ValueKind::name &&
                        c.names.find(c.values.text(base)) == NodeId::none &&
                        parse_dtype(c.values.text(base)).has_value();
  const NodeId subscripted = is_dtype ? NodeId::none : as_named(c, base);
  if (subscripted == NodeId::none || !c.is(subscripted, Kind::Buffer)) {
    Value element = c.values.gather(ValueKind::access, id, count - 1);
    element.node = subscripted;
    c.values.drop(2);
    return c.values.push(element);
  }
  if (indices.size() > 1) c.is_flat = false;
  const bool is_region =
      std::ranges::any_of(indices, [&](const Value& index) { return c.is(index, Kind::Range); });
  std::vector<NodeId>& nodes = c.scratch;
  nodes.clear();
  for (const Value& index : indices) {
    nodes.push_back(is_region ? as_range(c, index) : as_expr(c, index));
  }
  const NodeId node = is_region
                          ? c.builder.make(Kind::BufferRegion, {subscripted, c.builder.list(nodes)})
                          : c.load(subscripted, nodes, id);
  c.values.replace(count, node, id);
}

/// Definitions of buffers and producers, operators (`@tir.exp(…)`), and nodes printed as calls.
void lower_call(Context& c, SyntaxId id) {
  const auto values = c.values.top(c.values.syntax(id).arity);
  NodeId node = NodeId::none;
  if (values[0].kind == ValueKind::definition) {
    const std::string_view what = c.values.name(c.values.syntax(id).first + 1);
    node = what.ends_with("Buffer") ? define_buffer(c, values) : define_producer(c, values);
  } else {
    node = read_call(c, id, values);
  }
  c.values.replace(values.size(), node, id);
}

// --- The loop ----------------------------------------------------------------------------------

/// A subscript, a list or a name may become several kinds of node, and stays a Value for now.
void lower_node(Context& c, SyntaxId id) {
  switch (c.values.syntax(id).kind) {
    case SyntaxKind::name:
      return c.values.push(ValueKind::name, id);
    case SyntaxKind::integer:
    case SyntaxKind::real:
      return c.values.push(read_number(c, id, false), id);
    case SyntaxKind::string:
    case SyntaxKind::absent:
    case SyntaxKind::keyword:
      c.values.gather(id);
      return;
    case SyntaxKind::unary:
      return lower_unary(c, id);
    case SyntaxKind::binary:
      return lower_binary(c, id);
    case SyntaxKind::annotation:
      return lower_annotation(c, id);
    case SyntaxKind::call:
      return lower_call(c, id);
    case SyntaxKind::subscript:
      return lower_subscript(c, id);
    case SyntaxKind::load_cast:
      return lower_load_cast(c, id);
    case SyntaxKind::slice:
      return lower_slice(c, id);
    case SyntaxKind::list:
      return lower_list(c, id);
    default:
      c.values.fail(id, fmt::format("expected an expression, found {}", shown(c, id)));
  }
}

/// Evaluates the nodes of a tree, children before parents. A minus and the literal after it are one
/// constant.
void lower_nodes(Context& c, SyntaxId first, SyntaxId last) {
  for (SyntaxId id = first; id <= last; ++id) {
    const Syntax& node = c.values.syntax(id);
    const bool is_negated = (node.kind == SyntaxKind::integer || node.kind == SyntaxKind::real) &&
                            id < last && c.values.syntax(id + 1).kind == SyntaxKind::unary &&
                            c.values.syntax(id + 1).sign == Sign::minus;
    if (is_negated) {
      c.values.push(read_number(c, id, true), id + 1);
      ++id;
    } else {
      lower_node(c, id);
    }
  }
}

}  // namespace

Value lower(Context& c, SyntaxId id) {
  lower_nodes(c, c.values.syntax(id).first, id);
  return c.values.pop();
}

/// For a subscript that is not a load: the target of a store, a region, `attr [node]`.
std::vector<Value> lower_subscript_parts(Context& c, SyntaxId id) {
  const std::size_t before = c.values.depth();
  if (id > c.values.syntax(id).first) lower_nodes(c, c.values.syntax(id).first, id - 1);
  const auto found = c.values.top(c.values.depth() - before);
  const std::vector<Value> parts(found.begin(), found.end());
  c.values.drop(parts.size());
  return parts;
}

}  // namespace mlf::tir::legacy
