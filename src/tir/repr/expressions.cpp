// Expressions of the repr text: conversions of values to the expected nodes, nodes that are printed
// as calls, and the loop over the syntax.
#include "tir/repr/expressions.h"

#include <fmt/core.h>

#include "tir/node_queries.h"
#include "tir/text/expression_values.h"
#include "tir/text/lexer.h"
#include "tir/text/op_table.h"

namespace mlf::tir::repr {

// --- What a place makes of the value in it -----------------------------------------------------

namespace {

/// `2` may be an int32 or a float64: C++ streams print both in the same form.
NodeId as_double(Context& c, NodeId number) {
  const Node node = c.builder.node(number);
  if (!node.is(Kind::IntImm) || node.dtype() != DType::Int(32)) return number;
  return c.make.float_imm(DType::Float(64), static_cast<double>(node.integer(f::IntImm::value)));
}

}  // namespace

/// The innermost variable with that hint, or a new one for the rest of the function. `?` is
/// tir.Any. A name that ends with a parenthesis is a call of a function that TIR does not have.
NodeId look_up(Context& c, const ParsedValue& value) {
  const std::string_view name = c.exprs.name_of(value);
  if (name == "?") return c.builder.make(Kind::Any, {DType::Int(32)});
  if (const NodeId known = c.names.find(name); known != NodeId::none) return known;
  if (name.ends_with(')')) {
    c.exprs.fail(value.syntax,
                 fmt::format("'{}' is not a function of TIR", name.substr(0, name.find('('))));
  }
  const NodeId variable = c.var(name);
  c.names.bind_free(name, variable);
  return variable;
}

/// Decides what a name or a subscript means.
NodeId as_expr(Context& c, const ParsedValue& value) {
  switch (value.form) {
    case ParsedValue::Form::node:
      if (is_expr(c.builder.node(value.node).category())) return value.node;
      break;
    case ParsedValue::Form::name:
      return look_up(c, value);
    case ParsedValue::Form::string:
      return c.make.string_imm(text::decode_string(c.exprs.name_of(value)));
    case ParsedValue::Form::element: {
      const NodeId buffer = buffer_of(c, value);
      const std::vector<NodeId> indices = as_exprs(c, value);
      const text::Syntax& whole = c.exprs.syntax(value.syntax);
      c.check_lanes(buffer, indices, whole.begin, whole.end);
      return c.make.buffer_load(buffer, indices);
    }
    default:
      break;
  }
  c.exprs.fail_expected(value, "an expression");
}

/// A word that is not a variable of the function may be a dtype: a PrimType prints as its dtype.
NodeId as_attribute(Context& c, const ParsedValue& value) {
  if (value.form == ParsedValue::Form::string)
    return c.make.string(text::decode_string(c.exprs.name_of(value)));
  const bool is_iter_var =
      value.form == ParsedValue::Form::iter_var ||
      (value.form == ParsedValue::Form::name && unbound_iter_var(c.exprs.name_of(value)));
  if (is_iter_var) return as_iter_var(c, value, Binding::fresh);
  if (value.form == ParsedValue::Form::node) return value.node;
  if (value.form == ParsedValue::Form::name &&
      c.names.find(c.exprs.name_of(value)) == NodeId::none) {
    if (const auto dtype = parse_dtype(c.exprs.name_of(value))) return c.make.prim_type(*dtype);
  }
  return as_expr(c, value);
}

bool is_null(Context& c, const ParsedValue& value) {
  return value.form == ParsedValue::Form::name && c.exprs.name_of(value) == "nullptr";
}

std::vector<NodeId> as_exprs(Context& c, const ParsedValue& list) {
  if (list.form != ParsedValue::Form::list && list.form != ParsedValue::Form::element) {
    c.exprs.fail_expected(list, "a list");
  }
  std::vector<NodeId> nodes;
  for (const ParsedValue& element : c.exprs.elements(list)) nodes.push_back(as_expr(c, element));
  return nodes;
}

NodeId as_var(Context& c, const ParsedValue& value) {
  const NodeId node = as_expr(c, value);
  const Node variable = c.builder.node(node);
  if (!is_var(variable)) {
    c.exprs.fail_expected(value, "a variable");
  }
  return node;
}

/// The operands of a reducer. Its result precedes them, so their names are known already.
std::vector<NodeId> as_vars(Context& c, const ParsedValue& list) {
  std::vector<NodeId> nodes;
  if (list.form != ParsedValue::Form::list)
    c.exprs.fail(list.syntax, "expected a list of variables");
  for (const ParsedValue& element : c.exprs.elements(list)) nodes.push_back(as_var(c, element));
  return nodes;
}

NodeId buffer_of(Context& c, const ParsedValue& element) {
  return c.buffers.accessed(c.exprs.text_of(element.subscripted), element.count);
}

/// For the buffer itself, the printer also writes its address.
NodeId as_buffer(Context& c, const ParsedValue& value) {
  const bool is_buffer =
      value.form == ParsedValue::Form::node && c.builder.node(value.node).is(Kind::Buffer);
  if (!is_buffer) {
    c.exprs.fail_expected(value, "buffer(name, address)");
  }
  return value.node;
}

/// `A[i, j:k]`; the printer writes the ends of slices, not their extents.
NodeId as_region(Context& c, const ParsedValue& value) {
  if (value.form != ParsedValue::Form::element) {
    c.exprs.fail_expected(value, "a region of a buffer");
  }
  std::vector<NodeId> ranges;
  for (const ParsedValue& part : c.exprs.elements(value)) {
    if (part.form == ParsedValue::Form::slice) {
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

/// Bounds contain the extent, whereas regions and legacy text contain the end.
NodeId as_bounds(Context& c, const ParsedValue& list) {
  if (list.form != ParsedValue::Form::list || list.count != 2) {
    c.exprs.fail_expected(list, "[first, extent]");
  }
  const NodeId first = as_expr(c, c.exprs.elements(list)[0]);
  return c.builder.make(Kind::Range, {first, as_expr(c, c.exprs.elements(list)[1])});
}

/// `range(min=0, ext=4)`, the domain of an IterVar.
NodeId as_range(Context& c, const ParsedValue& value) {
  if (value.form != ParsedValue::Form::node || !c.builder.node(value.node).is(Kind::Range)) {
    c.exprs.fail_expected(value, "range(min=…, ext=…)");
  }
  return value.node;
}

/// Makes `a op b`. A float64 without a fraction is printed like an int32; if the other operand is a
/// float64 constant, this number is a float64 too.
NodeId make_binary(Context& c, Kind kind, NodeId a, NodeId b) {
  const bool is_double = c.make.dtype_of(a) == DType::Float(64);
  if (is_double != (c.make.dtype_of(b) == DType::Float(64)))
    (is_double ? b : a) = as_double(c, is_double ? b : a);
  return c.make.binary(kind, a, b);
}

// --- Calls -------------------------------------------------------------------------------------

namespace {

/// Fails unless the arguments have these keywords, in this order: the printer never omits one.
void expect_keywords(Context& c, SyntaxId id, std::span<const ParsedValue> values,
                     std::initializer_list<std::string_view> names) {
  std::size_t i = 0;
  for (const std::string_view name : names) {
    if (c.exprs.keyword_of(values[i++]) == name) continue;
    c.exprs.fail(id, fmt::format("expected '{}=' as argument {}", name, i));
  }
}

/// `tir.exp(x)`, `@f(x)`: the text has no dtype. It follows from the operator or is assumed.
NodeId read_operator(Context& c, std::string_view name, std::span<const ParsedValue> arguments) {
  std::vector<NodeId> nodes;
  for (const ParsedValue& argument : arguments) nodes.push_back(as_expr(c, argument));
  if (name.starts_with('@')) {
    c.lose(LossCode::call_dtype, name);
    return c.make.call(c.make.global_var(name.substr(1)), nodes, DType::Int(32));
  }
  if (const text::OpInfo* const known = text::find_op(name)) c.versions.at_least(known->since);
  return c.make.call_inferred(name, nodes, c.function_losses.function());
}

/// Vectors and indices are in one list. The indices are the longest run of numbers at its end that
/// are valid for the vectors before them.
NodeId read_shuffle(Context& c, SyntaxId id, std::span<const ParsedValue> arguments) {
  std::vector<NodeId> parts;
  std::int64_t lanes = 0;
  for (const ParsedValue& argument : arguments) {
    parts.push_back(as_expr(c, argument));
    lanes += std::abs(c.make.dtype_of(parts.back()).lanes);
  }
  std::int64_t largest = -1;
  std::size_t vectors = 0;
  for (std::size_t i = parts.size(); i-- > 1;) {
    const Node index = c.builder.node(parts[i]);
    if (!index.is(Kind::IntImm)) break;
    lanes -= 1;
    largest = std::max(largest, index.integer(f::IntImm::value));
    if (largest < lanes) vectors = i;
  }
  if (vectors == 0) c.exprs.fail(id, "expected vectors and indices of their elements in shuffle");
  if (c.builder.node(parts[vectors - 1]).is(Kind::IntImm)) {
    c.lose(LossCode::expr_form);
  }
  return c.make.shuffle(std::span(parts).first(vectors), std::span(parts).subspan(vectors));
}

/// `buffer(A, 0x55d0a1b2c3d0)`: outside of loads and stores, the address distinguishes buffers with
/// one name.
NodeId read_buffer(Context& c, SyntaxId, std::span<const ParsedValue> arguments) {
  return c.buffers.at_address(c.exprs.name_of(arguments[0]), c.exprs.name_of(arguments[1]));
}

/// `reduce(combiner=…, source=[…], init=[…], axis=[…], where=…, value_index=…)`
NodeId read_reduce(Context& c, SyntaxId id, std::span<const ParsedValue> arguments) {
  expect_keywords(c, id, arguments, {"combiner", "source", "init", "axis", "where", "value_index"});
  Builder& builder = c.builder;
  const NodeId combiner = arguments[0].node;
  if (arguments[0].form != ParsedValue::Form::node ||
      !builder.node(combiner).is(Kind::CommReducer)) {
    c.exprs.fail(arguments[0].syntax, "expected comm_reducer(…)");
  }
  const std::vector<NodeId> sources = as_exprs(c, arguments[1]);
  const ListId init =
      is_null(c, arguments[2]) ? ListId::none : builder.list(as_exprs(c, arguments[2]));
  std::vector<NodeId> axes;
  for (const ParsedValue& axis : c.exprs.elements(arguments[3]))
    axes.push_back(as_iter_var(c, axis, Binding::known));
  const NodeId condition = is_null(c, arguments[4]) ? NodeId::none : as_expr(c, arguments[4]);
  const Node position = builder.node(as_expr(c, arguments[5]));
  const std::int64_t place = int_imm_of(position).value_or(-1);
  if (place < 0 || static_cast<std::size_t>(place) >= sources.size()) {
    c.exprs.fail(arguments[5].syntax,
                 fmt::format("expected a value_index below {}", sources.size()));
  }
  const DType dtype = c.make.dtype_of(sources[static_cast<std::size_t>(place)]);
  return builder.make(Kind::Reduce, {dtype, combiner, builder.list(sources), init,
                                     builder.list(axes), condition, place});
}

/// The number of lanes is in the name, `x4(value)`, or before the value if it depends on the
/// machine.
NodeId make_broadcast(Context& c, SyntaxId id, NodeId value, NodeId lanes) {
  const auto known = c.make.lanes_of(lanes);
  if (!known) {
    c.exprs.fail(
        id, fmt::format("expected a number of lanes from 1 to 32767, found {}", c.exprs.shown(id)));
  }
  if (*known < 0) c.versions.observe(TvmFeature::lanes_as_nodes);
  return c.make.broadcast(value, lanes);
}

/// `comm_reducer(result=[…], lhs=[…], rhs=[…], identity_element=[…])`
NodeId read_comm_reducer(Context& c, SyntaxId id, std::span<const ParsedValue> arguments) {
  expect_keywords(c, id, arguments, {"result", "lhs", "rhs", "identity_element"});
  const ListId result = c.builder.list(as_exprs(c, arguments[0]));
  const ListId lhs = c.builder.list(as_vars(c, arguments[1]));
  const ListId rhs = c.builder.list(as_vars(c, arguments[2]));
  const ListId identities = c.builder.list(as_exprs(c, arguments[3]));
  return c.builder.make(Kind::CommReducer, {lhs, rhs, result, identities});
}

/// `range(min=0, ext=4)`
NodeId read_range(Context& c, SyntaxId id, std::span<const ParsedValue> arguments) {
  expect_keywords(c, id, arguments, {"min", "ext"});
  const NodeId min = as_expr(c, arguments[0]);
  return c.builder.make(Kind::Range, {min, as_expr(c, arguments[1])});
}

// In addition to those of text::kCommonFunctions.
constexpr text::PrintedFunction<Context> kFunctions[] = {
    {"shuffle", 2, read_shuffle},
    {"reduce", 6, read_reduce},
    {"comm_reducer", 4, read_comm_reducer},
    {"range", 2, read_range},
    {"buffer", 2, read_buffer},
};

/// A cast is spelled as its dtype, `float32(x)`, so casts are looked up last.
NodeId read_call(Context& c, SyntaxId id, std::span<const ParsedValue> values) {
  const std::string_view name = c.exprs.name_of(values[0]);
  const auto arguments = values.subspan(1);
  if (name.starts_with('@') || name.starts_with("tir.")) return read_operator(c, name, arguments);
  if (const auto* const function = text::find_function<Context>(kFunctions, name)) {
    return text::call_function(c, *function, id, arguments);
  }
  if (arguments.size() == 1) {
    if (const auto lanes = broadcast_lanes(name)) {
      return make_broadcast(c, id, as_expr(c, arguments[0]), c.make.int32(*lanes));
    }
    // Only the lanes: the call with a value is around them.
    if (name == kScalableBroadcast) return as_expr(c, arguments[0]);
    if (const auto dtype = parse_dtype(name)) return c.make.cast(*dtype, as_expr(c, arguments[0]));
  }
  c.exprs.fail(values[0].syntax, fmt::format("'{}' is not a function of TIR", name));
}

}  // namespace

bool is_printed_function(std::string_view word) {
  return text::find_function<Context>(kFunctions, word) != nullptr;
}

/// `iter_var(name, range(…), tag)`; name, domain and tag may each be missing.
NodeId as_iter_var(Context& c, const ParsedValue& value, Binding binding) {
  std::string_view name;
  std::string_view tag;
  NodeId domain = NodeId::none;
  if (value.form == ParsedValue::Form::iter_var) {
    auto parts = c.exprs.elements(value);
    if (!parts.empty() && parts[0].form == ParsedValue::Form::name) {
      name = c.exprs.name_of(parts[0]);
      parts = parts.subspan(1);
    }
    if (!parts.empty()) domain = as_range(c, parts[0]);
    if (parts.size() > 1) tag = c.exprs.name_of(parts[1]);
  } else if (const auto unbound = unbound_iter_var(c.exprs.name_of(value))) {
    name = unbound->name;
    tag = unbound->tag;
  } else {
    c.exprs.fail_expected(value, "iter_var(…)");
  }
  NodeId variable = binding == Binding::known ? c.names.find(name) : NodeId::none;
  if (variable == NodeId::none) {
    variable = c.var(name);
    c.names.bind(name, variable);
  }
  if (domain != NodeId::none) {
    const Node bounds = c.builder.node(domain);
    c.definitions.domains.emplace(
        index(variable), std::pair(bounds[f::Range::min].id(), bounds[f::Range::extent].id()));
  }
  c.lose(LossCode::iter_type);
  const IterVarType type = tag.empty() ? IterVarType::DataPar : IterVarType::ThreadIndex;
  return c.builder.make(Kind::IterVar, {domain, variable, type, c.builder.string(tag)});
}

// --- Lowering ----------------------------------------------------------------------------------

namespace {

using text::Syntax;

constexpr std::string_view kIterVar = "iter_var";

/// The value of `1.5f`, `1e-05h`, `inff`, `nan`; nothing for any other name.
struct Real {
  double value;
  DType dtype;
};
std::optional<Real> parse_real_name(std::string_view name) {
  if (name == "inf" || name == "nan") {
    return Real{*text::parse_real(name), DType::Float(64)};
  }
  // TVM's printer fails for other widths.
  if (!name.ends_with('f') && !name.ends_with('h')) return std::nullopt;
  const auto value = text::parse_real(name.substr(0, name.size() - 1));
  if (!value) return std::nullopt;
  return Real{*value, DType::Float(name.ends_with('f') ? 32 : 16)};
}

/// Whether this is a literal, which includes `1f` and `nanf` unless they are variables.
bool is_number(Context& c, SyntaxId id) {
  const SyntaxKind kind = c.exprs.syntax(id).kind;
  if (kind == SyntaxKind::integer || kind == SyntaxKind::real) return true;
  return kind == SyntaxKind::name && parse_real_name(c.exprs.text_of(id)) &&
         c.names.find(c.exprs.text_of(id)) == NodeId::none;
}

/// Replaces the last `count` values by one value with these elements.
void collect(Context& c, ParsedValue::Form form, SyntaxId id, std::uint32_t count) {
  ParsedValue made{.form = form, .syntax = id};
  c.exprs.add_elements(made, c.exprs.top(count));
  c.exprs.drop(count);
  c.exprs.push(made);
}

// --- Literals ----------------------------------------------------------------------------------

/// int32 and float64 have no suffix; float32 and float16 end with `f` and `h`. All have the six
/// digits of a C++ stream.
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
  const ParsedValue value = c.exprs.pop();
  const Node literal = c.builder.node(value.node);
  const auto printed = c.slice(c.exprs.syntax(id).name_begin, c.exprs.syntax(id).name_end);
  const auto dtype = parse_dtype(printed.substr(1, printed.size() - 2));
  const bool is_integer = value.form == ParsedValue::Form::node && literal.is(Kind::IntImm);
  if (!is_integer || !dtype)
    c.exprs.fail(id, fmt::format("expected an integer, found {}", c.exprs.shown(id)));
  c.exprs.push(id, c.make.int_imm(*dtype, literal.integer(f::IntImm::value)));
}

// --- Operators ---------------------------------------------------------------------------------

/// `a[i] if p`: only a load through a pointer has a predicate.
NodeId read_predicated_load(Context& c, const ParsedValue& element, NodeId predicate) {
  if (element.form != ParsedValue::Form::element || element.count != 1) {
    c.exprs.fail_expected(element, "a load");
  }
  ParsedValue pointer = element;
  pointer.form = ParsedValue::Form::name;
  pointer.syntax = element.subscripted;
  const NodeId buffer_var = look_up(c, pointer);
  const NodeId at = as_expr(c, c.exprs.elements(element)[0]);
  c.versions.observe(TvmFeature::loads_and_stores);
  const DType dtype = DType::Float(32).with_lanes(c.make.dtype_of(at).lanes);
  return c.builder.make(Kind::Load, {dtype, buffer_var, at, predicate});
}

/// `x = v`, which is part of an expression only after `let`.
void lower_binding(Context& c, SyntaxId id) {
  const ParsedValue bound = c.exprs.pop();
  const ParsedValue name = c.exprs.pop();
  const NodeId node = as_expr(c, bound);
  if (name.form != ParsedValue::Form::name)
    c.exprs.fail(name.syntax, "expected a variable behind 'let'");
  const NodeId variable = c.var(c.exprs.name_of(name));
  c.definitions.values.emplace(index(variable), node);
  c.lets.push_back(c.names.mark());
  c.names.bind(c.exprs.name_of(name), variable);
  c.exprs.push({.form = ParsedValue::Form::binding, .syntax = id, .node = variable, .other = node});
}

/// The name ends with the body: the next `let` may use it again.
void lower_let(Context& c, SyntaxId id) {
  const NodeId body = as_expr(c, c.exprs.pop());
  const ParsedValue bound = c.exprs.pop();
  if (bound.form != ParsedValue::Form::binding)
    c.exprs.fail(id, "expected 'variable = value' in front of 'in'");
  c.names.release(c.lets.back());
  c.lets.pop_back();
  c.exprs.push({.form = ParsedValue::Form::let,
                .syntax = id,
                .node = c.make.let(bound.node, bound.other, body)});
}

/// Every operator is in its own parentheses. `/` and `%` are the truncating Div and Mod.
void lower_binary(Context& c, SyntaxId id) {
  const Sign sign = c.exprs.syntax(id).sign;
  if (sign == Sign::assign) return lower_binding(c, id);
  if (sign == Sign::in) return lower_let(c, id);
  const ParsedValue right = c.exprs.pop();
  const ParsedValue left = c.exprs.pop();
  if (sign == Sign::if_) return c.exprs.push(id, read_predicated_load(c, left, as_expr(c, right)));
  const NodeId a = as_expr(c, left);
  c.exprs.push(id, make_binary(c, *text::binary_kind(sign), a, as_expr(c, right)));
}

/// A minus is part of a literal, and the end of its body already made a `let`.
void lower_unary(Context& c, SyntaxId id) {
  const ParsedValue operand = c.exprs.pop();
  switch (c.exprs.syntax(id).sign) {
    case Sign::not_:
      return c.exprs.push(id, c.make.logical_not(as_expr(c, operand)));
    case Sign::let:
      if (operand.form == ParsedValue::Form::let) return c.exprs.push(id, operand.node);
      break;
    default:
      break;
  }
  c.exprs.fail(id, fmt::format("expected an expression of TIR, found {}", c.exprs.shown(id)));
}

// --- Parts -------------------------------------------------------------------------------------

/// The text before the bracket stays a name: the number of indices determines the buffer.
void lower_subscript(Context& c, SyntaxId id) {
  const std::uint32_t indices = c.exprs.syntax(id).arity - 1;
  collect(c, ParsedValue::Form::element, id, indices);
  ParsedValue element = c.exprs.pop();
  const ParsedValue base = c.exprs.pop();
  if (base.form != ParsedValue::Form::name) {
    c.exprs.fail_expected(base, "the name of a buffer");
  }
  element.subscripted = base.syntax;
  c.exprs.push(element);
}

/// `x(4*tir.vscale())(value)`: a broadcast whose number of lanes depends on the machine.
bool is_scalable_broadcast(Context& c, std::span<const ParsedValue> values) {
  return values.size() == 2 && values[0].form == ParsedValue::Form::node &&
         c.exprs.head_of(values[0].syntax) == kScalableBroadcast;
}

/// Operators, and nodes that are printed as calls. Keeps the parts of an IterVar, because the node
/// depends on its surroundings.
void lower_call(Context& c, SyntaxId id) {
  const std::uint32_t count = c.exprs.syntax(id).arity;
  const auto values = c.exprs.top(count);
  if (values[0].form == ParsedValue::Form::name && c.exprs.name_of(values[0]) == kIterVar) {
    collect(c, ParsedValue::Form::iter_var, id, count - 1);
    const ParsedValue parts = c.exprs.pop();
    c.exprs.top() = parts;
    return;
  }
  NodeId node = NodeId::none;
  if (is_scalable_broadcast(c, values)) {
    node = make_broadcast(c, id, as_expr(c, values[1]), values[0].node);
  } else if (values[0].form == ParsedValue::Form::name) {
    node = read_call(c, id, values);
  } else {
    c.exprs.fail(id, fmt::format("expected a call of a function, found {}", c.exprs.shown(id)));
  }
  c.exprs.drop(count);
  c.exprs.push(id, node);
}

// --- The loop ----------------------------------------------------------------------------------

/// Names and subscripts become nodes once the expected kind of node is known.
void lower_node(Context& c, SyntaxId id) {
  const Syntax& node = c.exprs.syntax(id);
  switch (node.kind) {
    case SyntaxKind::name:
      return c.exprs.push({.form = ParsedValue::Form::name, .syntax = id});
    case SyntaxKind::string:
      return c.exprs.push({.form = ParsedValue::Form::string, .syntax = id});
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
      return collect(c, ParsedValue::Form::list, id, node.arity);
    case SyntaxKind::slice:
      if (node.arity == 2) return collect(c, ParsedValue::Form::slice, id, node.arity);
      break;
    default:
      break;
  }
  c.exprs.fail(id, fmt::format("expected an expression of TIR, found {}", c.exprs.shown(id)));
}

/// Evaluates the nodes of a tree, children before parents. A minus and the literal after it are one
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

ParsedValue lower(Context& c, SyntaxId id) {
  lower_nodes(c, c.exprs.syntax(id).first, id);
  return c.exprs.pop();
}

}  // namespace mlf::tir::repr
