// Expressions of the legacy text, and everything that it prints as a call: operators, functions of
// the module, and some nodes.
#include "tir/legacy/expressions.h"

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
NodeId read_operator(Context& c, SyntaxId id, std::span<const ParsedValue> values) {
  const std::string_view name = c.exprs.name_of(values[0]).substr(1);
  const ParsedValue& last = values.back();
  if (values.size() < 2 || last.keyword == ParsedValue::kNone) {
    c.exprs.fail(id, fmt::format("expected 'dtype=' as the last argument of @{}", name));
  }
  const DType result = as_dtype(c, last);
  std::vector<NodeId>& arguments = c.scratch;
  arguments.clear();
  for (const ParsedValue& argument : values.subspan(1, values.size() - 2)) {
    arguments.push_back(as_expr(c, argument));
  }
  if (name == kLlvmPureIntrinsic && values[1].form == ParsedValue::Form::string) {
    c.versions.observe(TvmFeature::names_pure_llvm_intrinsics);
    c.lose(LossCode::llvm_intrinsic, c.exprs.text_of(values[1].syntax));
  }
  const bool is_operator = name.starts_with("tir.");
  if (const text::OpInfo* const known = text::find_op(name)) c.versions.at_least(known->since);
  return c.make.call(is_operator ? c.make.op(name) : c.make.global_var(name), arguments, result);
}

template <Kind kind>
NodeId read_binary(Context& c, SyntaxId, std::span<const ParsedValue> arguments) {
  const NodeId a = as_expr(c, arguments[0]);
  return c.make.binary(kind, a, as_expr(c, arguments[1]));
}

NodeId read_select(Context& c, SyntaxId, std::span<const ParsedValue> arguments) {
  const NodeId condition = as_expr(c, arguments[0]);
  const NodeId true_value = as_expr(c, arguments[1]);
  return c.make.select(condition, true_value, as_expr(c, arguments[2]));
}

/// A number of lanes, which TVM prints as a decimal before v0.16 and as an expression since.
NodeId as_lanes(Context& c, const ParsedValue& value) {
  const NodeId lanes = as_expr(c, value);
  const auto known = c.make.lanes_of(lanes);
  if (!known) c.exprs.fail_expected(value, "a number of lanes from 1 to 32767");
  if (*known < 0) c.versions.observe(TvmFeature::lanes_as_nodes);
  return lanes;
}

NodeId read_ramp(Context& c, SyntaxId, std::span<const ParsedValue> arguments) {
  const NodeId base = as_expr(c, arguments[0]);
  const NodeId stride = as_expr(c, arguments[1]);
  return c.make.ramp(base, stride, as_lanes(c, arguments[2]));
}

NodeId read_broadcast(Context& c, SyntaxId, std::span<const ParsedValue> arguments) {
  const NodeId value = as_expr(c, arguments[0]);
  return c.make.broadcast(value, as_lanes(c, arguments[1]));
}

NodeId read_cast(Context& c, SyntaxId, std::span<const ParsedValue> arguments) {
  const DType dtype = as_dtype(c, arguments[0]);
  return c.make.cast(dtype, as_expr(c, arguments[1]));
}

/// `shuffle([vectors], [indices])`.
NodeId read_shuffle(Context& c, SyntaxId id, std::span<const ParsedValue> arguments) {
  const std::vector<NodeId> vectors = as_exprs(c, arguments[0]);
  const std::vector<NodeId> indices = as_exprs(c, arguments[1]);
  if (vectors.empty() || indices.empty())
    c.exprs.fail(id, "expected vectors and indices in shuffle");
  return c.make.shuffle(vectors, indices);
}

/// `reduce(combiner, [source], [axis], value_index, [init])`: the condition is not printed.
NodeId read_reduce(Context& c, SyntaxId id, std::span<const ParsedValue> arguments) {
  Builder& builder = c.builder;
  const NodeId combiner = as_attribute(c, arguments[0]);
  const std::vector<NodeId> sources = as_exprs(c, arguments[1]);
  std::vector<NodeId> axes;
  for (const ParsedValue& axis : c.exprs.elements(arguments[2]))
    axes.push_back(as_attribute(c, axis));
  const std::int64_t index = as_integer(c, arguments[3]);
  if (index < 0 || static_cast<std::size_t>(index) >= sources.size()) {
    c.exprs.fail(id,
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
NodeId read_iter_var(Context& c, SyntaxId, std::span<const ParsedValue> arguments) {
  const NodeId variable = as_var(c, arguments[0]);
  NodeId domain = NodeId::none;
  if (arguments[1].form == ParsedValue::Form::list) {
    const std::vector<NodeId> bounds = as_ranges(c, arguments[1]);
    if (bounds.size() != 1) c.exprs.fail(arguments[1].syntax, "expected one range in the domain");
    domain = bounds[0];
  }
  const std::string type = as_string(c, arguments[2]);
  const auto types = enum_names(Expects::iter_var_type);
  const auto found = std::ranges::find(types, type);
  if (found == types.end()) {
    c.exprs.fail(arguments[2].syntax,
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
  NodeId (*read)(Context& c, SyntaxId call, std::span<const ParsedValue> arguments);
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

NodeId read_call(Context& c, SyntaxId id, std::span<const ParsedValue> values) {
  if (values[0].form != ParsedValue::Form::name) c.exprs.fail_expected(values[0], "a function");
  const std::string_view name = c.exprs.name_of(values[0]);
  if (name.starts_with('@')) return read_operator(c, id, values);
  const auto* const function = std::ranges::find(kFunctions, name, &PrintedFunction::name);
  if (function == std::end(kFunctions)) {
    c.exprs.fail(values[0].syntax, fmt::format("'{}' is not a function of TIR", name));
  }
  const auto arguments = values.subspan(1);
  if (arguments.size() < function->count) {
    c.exprs.fail(id, fmt::format("expected {} arguments of {}, found {}", function->count, name,
                                 arguments.size()));
  }
  return function->read(c, id, arguments);
}

// --- Lowering ----------------------------------------------------------------------------------

/// The reader of literals takes the minus before a literal, so only `-inff32` remains here.
void lower_unary(Context& c, SyntaxId id) {
  const ParsedValue operand = c.exprs.top();
  if (c.exprs.syntax(id).sign == Sign::let) {
    // Already made where `in` was met.
    if (!c.exprs.is_binary(id - 1, Sign::in)) {
      c.exprs.fail(id, "expected 'let', a variable, '=', a value, 'in' and a body");
    }
    return;
  }
  if (c.exprs.syntax(id).sign == Sign::minus) {
    const NodeId node = operand.form == ParsedValue::Form::name
                            ? named_constant(c, c.exprs.name_of(operand), "-")
                            : NodeId::none;
    if (node == NodeId::none)
      c.exprs.fail(id, fmt::format("expected a number, found {}", c.exprs.shown(id)));
    c.exprs.drop(1);
    return c.exprs.push(id, node);
  }
  const NodeId inner = as_expr(c, operand);
  c.exprs.drop(1);
  c.exprs.push(id, c.make.logical_not(inner));
}

/// The annotation before the value defines the variable of a `let`.
void lower_binding(Context& c, SyntaxId id) {
  const auto operands = c.exprs.top(2);
  const NodeId variable = as_var(c, operands[0]);
  const NodeId bound = as_expr(c, operands[1]);
  c.exprs.drop(2);
  c.exprs.push(
      {.form = ParsedValue::Form::binding, .syntax = id, .node = variable, .other = bound});
}

/// `let` has the form `let x: T = v in body` without parentheses. Its body is one operand.
void lower_let(Context& c, SyntaxId id) {
  const auto operands = c.exprs.top(2);
  if (operands[0].form != ParsedValue::Form::binding) {
    c.exprs.fail(id, fmt::format("expected a variable, '=' and a value in front of 'in', found {}",
                                 c.exprs.shown(operands[0].syntax)));
  }
  const ParsedValue bound = operands[0];
  const NodeId body = as_expr(c, operands[1]);
  c.exprs.drop(2);
  c.exprs.push(id, c.make.let(bound.node, bound.other, body));
}

/// `load if predicate`
void lower_predicated(Context& c, SyntaxId id) {
  const auto operands = c.exprs.top(2);
  const NodeId load = as_expr(c, operands[0]);
  const NodeId predicate = as_expr(c, operands[1]);
  if (!c.builder.node(load).is(Kind::Load)) {
    c.exprs.fail(id, fmt::format("expected a load in front of 'if', found {}",
                                 c.exprs.shown(operands[0].syntax)));
  }
  c.builder.set(load, f::Load::predicate, predicate);
  c.exprs.drop(2);
  c.exprs.push(id, load);
}

/// Every operator but `let` is in its own parentheses. `/` and `%` are the truncating Div and Mod.
void lower_binary(Context& c, SyntaxId id) {
  switch (c.exprs.syntax(id).sign) {
    case Sign::assign:
      return lower_binding(c, id);
    case Sign::in:
      return lower_let(c, id);
    case Sign::if_:
      return lower_predicated(c, id);
    default:
      break;
  }
  const auto operands = c.exprs.top(2);
  const NodeId a = as_expr(c, operands[0]);
  const NodeId b = as_expr(c, operands[1]);
  c.exprs.drop(2);
  c.exprs.push(id, c.make.binary(*binary_kind(c.exprs.syntax(id).sign), a, b));
}

/// The dtype in `Pointer(global int16)`: the last word of the annotation.
void note_element_type(Context& c, NodeId variable, SyntaxId annotation) {
  const auto pointee = pointee_of(c.builder.node(variable)[f::Var::type_annotation]);
  if (!pointee) return;
  const std::string dtype = to_string(*pointee);
  const std::size_t at = c.exprs.word_of(annotation).rfind(dtype);
  if (at == std::string_view::npos) return;
  const auto begin = static_cast<std::uint32_t>(c.exprs.syntax(annotation).name_begin + at);
  c.note_dtype(variable, begin, static_cast<std::uint32_t>(begin + dtype.size()));
}

/// `x: T`, the first mention of a variable. Of `A: Buffer(…)`, makes only the head; the call around
/// it defines the buffer.
void lower_annotation(Context& c, SyntaxId id) {
  ParsedValue& name = c.exprs.top();
  if (name.form != ParsedValue::Form::name) {
    c.exprs.fail(id, fmt::format("expected a name in front of a type, found {}",
                                 c.exprs.shown(name.syntax)));
  }
  std::string_view type = c.exprs.word_of(id);
  if (type.starts_with(' ')) type.remove_prefix(1);
  if (type == "Buffer" || type == "DataProducer") {
    name.form = ParsedValue::Form::head;
    return;
  }
  NodeId variable = c.names.find(c.exprs.name_of(name));
  if (variable == NodeId::none) variable = define_var(c, c.exprs.name_of(name), read_type(c, type));
  if (!c.builder.node(variable).is(Kind::Var)) c.exprs.fail_expected(name, "a variable");
  note_element_type(c, variable, id);
  name.form = ParsedValue::Form::node;
  name.node = variable;
}

/// `(float32*)v[i]`, a Load. TVM does not print a predicate that is constant true.
void lower_load_cast(Context& c, SyntaxId id) {
  const ParsedValue element = c.exprs.top();
  const Syntax& node = c.exprs.syntax(id);
  if (element.form != ParsedValue::Form::element || element.count != 1) {
    c.exprs.fail(id, fmt::format("expected a variable with one index behind '{}'",
                                 c.slice(node.name_begin, node.name_end)));
  }
  std::string_view type = c.slice(node.name_begin, node.name_end);
  type = type.substr(1, type.size() - 3);
  const NodeId pointer = as_var(c, element);
  const NodeId index = as_expr(c, c.exprs.elements(element)[0]);
  NodeId predicate = c.make.boolean(1);
  const DType index_dtype = c.make.dtype_of(index);
  if (!index_dtype.is_scalar()) {
    predicate = c.make.broadcast(predicate, c.make.int32(index_dtype.lanes));
  }
  c.note_variable_access();
  c.exprs.drop(1);
  c.exprs.push(id, c.builder.make(Kind::Load, {*parse_dtype(type), pointer, index, predicate}));
}

/// The printer writes min and min + extent; the reader computes the extent.
void lower_slice(Context& c, SyntaxId id) {
  const std::uint32_t count = c.exprs.syntax(id).arity;
  const auto bounds = c.exprs.top(count);
  if (count != 2 || bounds[0].form == ParsedValue::Form::absent ||
      bounds[1].form == ParsedValue::Form::absent) {
    c.exprs.fail(id, "expected a range of the form begin:end");
  }
  const NodeId begin = as_expr(c, bounds[0]);
  const NodeId end = as_expr(c, bounds[1]);
  c.exprs.drop(count);
  const NodeId extent = c.make.extent(begin, end, c.function());
  c.exprs.push(id, c.builder.make(Kind::Range, {begin, extent}));
}

void lower_list(Context& c, SyntaxId id) {
  const std::uint32_t count = c.exprs.syntax(id).arity;
  std::vector<ParsedValue> parts(c.exprs.top(count).begin(), c.exprs.top(count).end());
  for (ParsedValue& part : parts) {
    // Only attributes hold lists of lists; making the inner ones here keeps this a loop.
    if (part.form != ParsedValue::Form::list) continue;
    part = {.form = ParsedValue::Form::node, .syntax = part.syntax, .node = as_attribute(c, part)};
  }
  c.exprs.drop(count);
  ParsedValue made{.form = ParsedValue::Form::list, .syntax = id};
  c.exprs.add_elements(made, parts);
  c.exprs.push(made);
}

/// `A[i, j]`: a BufferLoad, or a BufferRegion if one index is a range. Subscripts of variables,
/// producers and dtypes stay values until the expression around them is known.
void lower_subscript(Context& c, SyntaxId id) {
  const std::uint32_t count = c.exprs.syntax(id).arity;
  const auto parts = c.exprs.top(count);
  const ParsedValue base = parts[0];
  const auto indices = parts.subspan(1);
  const bool is_dtype = base.form == ParsedValue::Form::name &&
                        c.names.find(c.exprs.name_of(base)) == NodeId::none &&
                        parse_dtype(c.exprs.name_of(base)).has_value();
  const NodeId subscripted = is_dtype ? NodeId::none : as_named(c, base);
  if (subscripted == NodeId::none || !c.builder.node(subscripted).is(Kind::Buffer)) {
    ParsedValue element{.form = ParsedValue::Form::element, .syntax = id, .node = subscripted};
    c.exprs.add_elements(element, indices);
    c.exprs.drop(count);
    return c.exprs.push(element);
  }
  if (indices.size() > 1) c.is_flat = false;
  const bool is_region = std::ranges::any_of(indices, [&](const ParsedValue& index) {
    return index.form == ParsedValue::Form::node && c.builder.node(index.node).is(Kind::Range);
  });
  std::vector<NodeId>& nodes = c.scratch;
  nodes.clear();
  for (const ParsedValue& index : indices) {
    nodes.push_back(is_region ? as_range(c, index) : as_expr(c, index));
  }
  const text::Syntax& whole = c.exprs.syntax(id);
  if (!is_region) c.check_lanes(subscripted, nodes, whole.begin, whole.end);
  const NodeId node = is_region
                          ? c.builder.make(Kind::BufferRegion, {subscripted, c.builder.list(nodes)})
                          : c.make.buffer_load(subscripted, nodes);
  if (!is_region) c.note_load(node, whole.begin, whole.end);
  c.exprs.drop(count);
  c.exprs.push(id, node);
}

/// Definitions of buffers and producers, operators (`@tir.exp(…)`), and nodes printed as calls.
void lower_call(Context& c, SyntaxId id) {
  const auto values = c.exprs.top(c.exprs.syntax(id).arity);
  NodeId node = NodeId::none;
  if (values[0].form == ParsedValue::Form::head) {
    const std::string_view what = c.exprs.word_of(c.exprs.syntax(id).first + 1);
    node = what.ends_with("Buffer") ? define_buffer(c, values) : define_producer(c, values);
  } else {
    node = read_call(c, id, values);
  }
  c.exprs.drop(values.size());
  c.exprs.push(id, node);
}

// --- The loop ----------------------------------------------------------------------------------

/// A subscript, a list or a name may become several kinds of node, and stays a Value for now.
void lower_node(Context& c, SyntaxId id) {
  switch (c.exprs.syntax(id).kind) {
    case SyntaxKind::name:
      return c.exprs.push({.form = ParsedValue::Form::name, .syntax = id});
    case SyntaxKind::integer:
    case SyntaxKind::real:
      return c.exprs.push(id, read_number(c, id, false));
    case SyntaxKind::string:
      return c.exprs.push({.form = ParsedValue::Form::string, .syntax = id});
    case SyntaxKind::absent:
      return c.exprs.push({.form = ParsedValue::Form::absent, .syntax = id});
    case SyntaxKind::unary:
      return lower_unary(c, id);
    case SyntaxKind::binary:
      return lower_binary(c, id);
    case SyntaxKind::annotation:
      return lower_annotation(c, id);
    case SyntaxKind::keyword:
      c.exprs.top().keyword = id;
      return;
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
      c.exprs.fail(id, fmt::format("expected an expression, found {}", c.exprs.shown(id)));
  }
}

/// Evaluates the nodes of a tree, children before parents. A minus and the literal after it are one
/// constant.
void lower_nodes(Context& c, SyntaxId first, SyntaxId last) {
  for (SyntaxId id = first; id <= last; ++id) {
    const Syntax& node = c.exprs.syntax(id);
    const bool is_negated = (node.kind == SyntaxKind::integer || node.kind == SyntaxKind::real) &&
                            id < last && c.exprs.syntax(id + 1).kind == SyntaxKind::unary &&
                            c.exprs.syntax(id + 1).sign == Sign::minus;
    if (is_negated) {
      c.exprs.push(id + 1, read_number(c, id, true));
      ++id;
    } else {
      lower_node(c, id);
    }
  }
}

}  // namespace

ParsedValue lower(Context& c, SyntaxId id) {
  lower_nodes(c, c.exprs.syntax(id).first, id);
  return c.exprs.pop();
}

/// For a subscript that is not a load: the target of a store, a region, `attr [node]`.
std::vector<ParsedValue> lower_subscript_parts(Context& c, SyntaxId id) {
  const std::size_t before = c.exprs.depth();
  if (id > c.exprs.syntax(id).first) lower_nodes(c, c.exprs.syntax(id).first, id - 1);
  const auto found = c.exprs.top(c.exprs.depth() - before);
  const std::vector<ParsedValue> parts(found.begin(), found.end());
  c.exprs.drop(parts.size());
  return parts;
}

}  // namespace mlf::tir::legacy
