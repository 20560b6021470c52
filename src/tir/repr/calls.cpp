// What is printed as a call: operators, functions, casts, broadcasts and parts of expressions.
#include <fmt/core.h>

#include <array>

#include "tir/repr/expressions.h"
#include "tir/text/infix.h"
#include "tir/text/op_table.h"
#include "tir/tvm_features.h"

namespace mlf::tir::repr {
namespace {

using text::SyntaxId;
using text::SyntaxKind;
using Form = Value::Form;

constexpr std::array<std::string_view, 2> kRangeParts = {"min", "ext"};
constexpr std::array<std::string_view, 4> kReducerParts = {"result", "lhs", "rhs",
                                                           "identity_element"};
constexpr std::array<std::string_view, 6> kReduceParts = {"combiner", "source", "init",
                                                          "axis",     "where",  "value_index"};
constexpr std::string_view kIterVar = "iter_var";

}  // namespace

const std::unordered_map<std::string_view, ExprReader::Function>& ExprReader::functions() {
  static const std::unordered_map<std::string_view, Function> known{
      {"floordiv", {&ExprReader::binary_call, 2}}, {"floormod", {&ExprReader::binary_call, 2}},
      {"min", {&ExprReader::binary_call, 2}},      {"max", {&ExprReader::binary_call, 2}},
      {"select", {&ExprReader::select, 3}},        {"ramp", {&ExprReader::ramp, 3}},
      {"shuffle", {&ExprReader::shuffle, 2}},      {"range", {&ExprReader::make_range, 2}},
      {"buffer", {&ExprReader::make_buffer, 2}},   {"comm_reducer", {&ExprReader::comm_reducer, 4}},
      {"reduce", {&ExprReader::reduce, 6}},
  };
  return known;
}

/// Operators, and nodes that are printed as calls. The values are copied: handlers evaluate on the
/// stack that they are on.
void ExprReader::call(SyntaxId id) {
  const std::size_t count = tree()[id].arity;
  const std::vector<Value> values(top(count).begin(), top(count).end());
  if (is_scalable_broadcast(values)) {
    const NodeId node = broadcast(id, expr(values[1]), values[0].node);
    drop(count);
    return push(id, node);
  }
  if (values[0].form != Form::name) {
    fail(id, fmt::format("expected a call of a function, found {}", shown(id)));
  }
  if (name_of(values[0]) == kIterVar) {
    collect(Form::iter_var, id, static_cast<std::uint32_t>(count - 1));
    const Value parts = pop();
    top() = parts;
    return;
  }
  const NodeId node = named_call(id, values);
  drop(count);
  push(id, node);
}

NodeId ExprReader::named_call(SyntaxId id, std::span<const Value> values) {
  const std::string_view name = name_of(values[0]);
  const auto arguments = values.subspan(1);
  if (name.starts_with('@') || name.starts_with("tir.")) return call_operator(name, arguments);
  if (const auto found = functions().find(name); found != functions().end()) {
    if (arguments.size() < found->second.arguments) {
      fail(id, fmt::format("expected {} arguments of {}, found {}", found->second.arguments, name,
                           arguments.size()));
    }
    return (this->*found->second.handler)(id, arguments);
  }
  if (arguments.size() == 1) {
    if (const auto lanes = broadcast_lanes(name)) {
      return broadcast(id, expr(arguments[0]), make_.int32(*lanes));
    }
    // The lanes alone: the call with a value is around them.
    if (name == kScalableBroadcast) return expr(arguments[0]);
    if (const auto dtype = parse_dtype(name)) return make_.cast(*dtype, expr(arguments[0]));
  }
  fail(values[0].syntax, fmt::format("'{}' is no function of TIR", name));
}

// --- Arithmetic --------------------------------------------------------------------------------

NodeId ExprReader::binary_call(SyntaxId id, std::span<const Value> arguments) {
  const NodeId a = expr(arguments[0]);
  return arithmetic(*text::binary_kind(head_of(id)), a, expr(arguments[1]));
}

NodeId ExprReader::select(SyntaxId, std::span<const Value> arguments) {
  const NodeId condition = expr(arguments[0]);
  const NodeId true_value = expr(arguments[1]);
  return make_.select(condition, true_value, expr(arguments[2]));
}

NodeId ExprReader::ramp(SyntaxId, std::span<const Value> arguments) {
  const NodeId base = expr(arguments[0]);
  const NodeId stride = expr(arguments[1]);
  const NodeId lanes = expr(arguments[2]);
  const auto known = make_.lanes_of(lanes);
  if (known && *known < 0) context_.versions.observe(TvmFeature::lanes_as_nodes);
  if (!known) {
    fail_expected(arguments[2], "a number of lanes from 1 to 32767");
  }
  return make_.ramp(base, stride, lanes);
}

bool ExprReader::is_scalable_broadcast(std::span<const Value> values) const {
  return values.size() == 2 && values[0].form == Form::node &&
         head_of(values[0].syntax) == kScalableBroadcast;
}

NodeId ExprReader::broadcast(SyntaxId id, NodeId value, NodeId lanes) {
  const auto known = make_.lanes_of(lanes);
  if (!known) {
    fail(id, fmt::format("expected a number of lanes from 1 to 32767, found {}", shown(id)));
  }
  if (*known < 0) context_.versions.observe(TvmFeature::lanes_as_nodes);
  return make_.broadcast(value, lanes);
}

/// Vectors and indices are in one list: as many numbers at its end as can be indices of what
/// comes before them are.
NodeId ExprReader::shuffle(SyntaxId id, std::span<const Value> arguments) {
  std::vector<NodeId> parts;
  std::int64_t lanes = 0;
  for (const Value& argument : arguments) {
    parts.push_back(expr(argument));
    lanes += std::abs(make_.dtype_of(parts.back()).lanes);
  }
  std::int64_t largest = -1;
  std::size_t vectors = 0;
  for (std::size_t i = parts.size(); i-- > 1;) {
    const Node index = context_.builder.node(parts[i]);
    if (!index.is(Kind::IntImm)) break;
    lanes -= 1;
    largest = std::max(largest, index.integer(f::IntImm::value));
    if (largest < lanes) vectors = i;
  }
  if (vectors == 0) fail(id, "expected vectors and indices of their elements in shuffle");
  if (context_.builder.node(parts[vectors - 1]).is(Kind::IntImm)) {
    context_.lose(LossCode::expr_form, "vectors and indices of a Shuffle");
  }
  return make_.shuffle(std::span(parts).first(vectors), std::span(parts).subspan(vectors));
}

// --- Parts of expressions ----------------------------------------------------------------------

void ExprReader::expect_keywords(SyntaxId id, std::span<const Value> values,
                                 std::span<const std::string_view> names) const {
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool has_keyword = i < values.size() && values[i].keyword != Value::kNone;
    if (has_keyword) {
      const text::Syntax& keyword = tree()[values[i].keyword];
      if (context_.slice(keyword.name_begin, keyword.name_end) == names[i]) continue;
    }
    fail(id, fmt::format("expected '{}=' as argument {}", names[i], i + 1));
  }
}

NodeId ExprReader::make_range(SyntaxId id, std::span<const Value> arguments) {
  expect_keywords(id, arguments, kRangeParts);
  const NodeId first = expr(arguments[0]);
  return context_.builder.make(Kind::Range, {first, expr(arguments[1])});
}

NodeId ExprReader::make_buffer(SyntaxId, std::span<const Value> arguments) {
  return context_.buffers.at_address(name_of(arguments[0]), name_of(arguments[1]));
}

std::vector<NodeId> ExprReader::vars(const Value& list) {
  std::vector<NodeId> nodes;
  if (list.form != Form::list) fail(list.syntax, "expected a list of variables");
  for (const Value& element : elements(list)) nodes.push_back(var(element));
  return nodes;
}

/// The result is in front of its operands, so they are known by their names already.
NodeId ExprReader::comm_reducer(SyntaxId id, std::span<const Value> arguments) {
  expect_keywords(id, arguments, kReducerParts);
  Builder& builder = context_.builder;
  const ListId result = builder.list(exprs(arguments[0]));
  const ListId left = builder.list(vars(arguments[1]));
  const ListId right = builder.list(vars(arguments[2]));
  return builder.make(Kind::CommReducer, {left, right, result, builder.list(exprs(arguments[3]))});
}

/// `reduce(combiner=…, source=[…], init=[…], axis=[…], where=…, value_index=…)`
NodeId ExprReader::reduce(SyntaxId id, std::span<const Value> arguments) {
  expect_keywords(id, arguments, kReduceParts);
  Builder& builder = context_.builder;
  const NodeId combiner = arguments[0].node;
  if (arguments[0].form != Form::node || !builder.node(combiner).is(Kind::CommReducer)) {
    fail(arguments[0].syntax, "expected comm_reducer(…)");
  }
  const std::vector<NodeId> sources = exprs(arguments[1]);
  const ListId init = is_null(arguments[2]) ? ListId::none : builder.list(exprs(arguments[2]));
  std::vector<NodeId> axes;
  for (const Value& axis : elements(arguments[3])) axes.push_back(iter_var(axis, Binding::known));
  const NodeId condition = is_null(arguments[4]) ? NodeId::none : expr(arguments[4]);
  const Node position = builder.node(expr(arguments[5]));
  const std::int64_t place = position.is(Kind::IntImm) ? position.integer(f::IntImm::value) : -1;
  if (place < 0 || static_cast<std::size_t>(place) >= sources.size()) {
    fail(arguments[5].syntax, fmt::format("expected a value_index below {}", sources.size()));
  }
  const DType dtype = make_.dtype_of(sources[static_cast<std::size_t>(place)]);
  return builder.make(Kind::Reduce, {dtype, combiner, builder.list(sources), init,
                                     builder.list(axes), condition, place});
}

/// `iter_var(name, range(…), tag)`, of which name and tag may be missing, and the domain too.
NodeId ExprReader::iter_var(const Value& value, Binding binding) {
  std::string_view name;
  std::string_view tag;
  NodeId domain = NodeId::none;
  if (value.form == Form::iter_var) {
    auto parts = elements(value);
    if (!parts.empty() && parts[0].form == Form::name) {
      name = name_of(parts[0]);
      parts = parts.subspan(1);
    }
    if (!parts.empty()) domain = range(parts[0]);
    if (parts.size() > 1) tag = name_of(parts[1]);
  } else if (const auto unbound = unbound_iter_var(name_of(value))) {
    name = unbound->name;
    tag = unbound->tag;
  } else {
    fail_expected(value, "iter_var(…)");
  }
  NodeId variable = binding == Binding::known ? context_.names.find(name) : NodeId::none;
  if (variable == NodeId::none) {
    variable = context_.var(name);
    context_.names.define(name, variable);
  }
  if (domain != NodeId::none) {
    const Node bounds = context_.builder.node(domain);
    context_.definitions.domains.emplace(
        index(variable), std::pair(bounds[f::Range::min].id(), bounds[f::Range::extent].id()));
  }
  context_.lose(LossCode::iter_type, "iteration variables");
  const IterVarType type = tag.empty() ? IterVarType::DataPar : IterVarType::ThreadIndex;
  return context_.builder.make(Kind::IterVar,
                               {domain, variable, type, context_.builder.string(tag)});
}

// --- Calls -------------------------------------------------------------------------------------

/// `tir.exp(x)`, `@f(x)`: no dtype is printed, it follows from the operator or is assumed.
NodeId ExprReader::call_operator(std::string_view name, std::span<const Value> arguments) {
  std::vector<NodeId> nodes;
  for (const Value& argument : arguments) nodes.push_back(expr(argument));
  if (name.starts_with('@')) {
    context_.lose(LossCode::call_dtype, name);
    return make_.call(make_.global_var(name.substr(1)), nodes, DType::Int(32));
  }
  if (const text::OpInfo* const known = text::find_op(name))
    context_.versions.at_least(known->since);
  return make_.call_inferred(name, nodes, context_.function_losses.function());
}

}  // namespace mlf::tir::repr
