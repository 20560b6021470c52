// What is printed as a call: operators, functions, casts, broadcasts and parts of expressions.
#include <fmt/core.h>

#include <array>

#include "tir/repr/expressions.h"
#include "tir/repr/forms.h"
#include "tir/text/op_table.h"

namespace mlf::tir::repr {
namespace {

// In the order of the printer; `where` is the condition.
constexpr std::array<std::string_view, 6> kReduceParts = {"combiner", "source", "init",
                                                          "axis",     "where",  "value_index"};

/// Fails unless the arguments have these keywords, in this order: the printer leaves none out.
void expect_keywords(Context& c, SyntaxId id, std::span<const Value> values,
                     std::span<const std::string_view> names) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i < values.size() && c.exprs.keyword_of(values[i]) == names[i]) continue;
    c.exprs.fail(id, fmt::format("expected '{}=' as argument {}", names[i], i + 1));
  }
}

/// `tir.exp(x)`, `@f(x)`: no dtype is printed, it follows from the operator or is assumed.
NodeId read_operator(Context& c, std::string_view name, std::span<const Value> arguments) {
  std::vector<NodeId> nodes;
  for (const Value& argument : arguments) nodes.push_back(as_expr(c, argument));
  if (name.starts_with('@')) {
    c.lose(LossCode::call_dtype, name);
    return c.make.call(c.make.global_var(name.substr(1)), nodes, DType::Int(32));
  }
  if (const text::OpInfo* const known = text::find_op(name)) c.versions.at_least(known->since);
  return c.make.call_inferred(name, nodes, c.function_losses.function());
}

}  // namespace

/// Vectors and indices are in one list: as many numbers at its end as can be indices of what
/// comes before them are.
NodeId read_shuffle(Context& c, SyntaxId id, std::span<const Value> arguments) {
  std::vector<NodeId> parts;
  std::int64_t lanes = 0;
  for (const Value& argument : arguments) {
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

/// `buffer(A, 0x55d0a1b2c3d0)`: outside of loads and stores the address tells buffers of one name
/// apart.
NodeId read_buffer(Context& c, SyntaxId, std::span<const Value> arguments) {
  return c.buffers.at_address(c.exprs.name_of(arguments[0]), c.exprs.name_of(arguments[1]));
}

/// `reduce(combiner=…, source=[…], init=[…], axis=[…], where=…, value_index=…)`
NodeId read_reduce(Context& c, SyntaxId id, std::span<const Value> arguments) {
  expect_keywords(c, id, arguments, kReduceParts);
  Builder& builder = c.builder;
  const NodeId combiner = arguments[0].node;
  if (arguments[0].form != Value::Form::node || !builder.node(combiner).is(Kind::CommReducer)) {
    c.exprs.fail(arguments[0].syntax, "expected comm_reducer(…)");
  }
  const std::vector<NodeId> sources = as_exprs(c, arguments[1]);
  const ListId init =
      is_null(c, arguments[2]) ? ListId::none : builder.list(as_exprs(c, arguments[2]));
  std::vector<NodeId> axes;
  for (const Value& axis : c.exprs.elements(arguments[3]))
    axes.push_back(as_iter_var(c, axis, Binding::known));
  const NodeId condition = is_null(c, arguments[4]) ? NodeId::none : as_expr(c, arguments[4]);
  const Node position = builder.node(as_expr(c, arguments[5]));
  const std::int64_t place = position.is(Kind::IntImm) ? position.integer(f::IntImm::value) : -1;
  if (place < 0 || static_cast<std::size_t>(place) >= sources.size()) {
    c.exprs.fail(arguments[5].syntax,
                 fmt::format("expected a value_index below {}", sources.size()));
  }
  const DType dtype = c.make.dtype_of(sources[static_cast<std::size_t>(place)]);
  return builder.make(Kind::Reduce, {dtype, combiner, builder.list(sources), init,
                                     builder.list(axes), condition, place});
}

/// The number of lanes is in the name, `x4(value)`, or in front of the value where the machine
/// says how many it has.
NodeId make_broadcast(Context& c, SyntaxId id, NodeId value, NodeId lanes) {
  const auto known = c.make.lanes_of(lanes);
  if (!known) {
    c.exprs.fail(
        id, fmt::format("expected a number of lanes from 1 to 32767, found {}", c.exprs.shown(id)));
  }
  if (*known < 0) c.versions.observe(TvmFeature::lanes_as_nodes);
  return c.make.broadcast(value, lanes);
}

/// A cast is spelled as its dtype, `float32(x)`, and so is looked for last.
NodeId read_call(Context& c, SyntaxId id, std::span<const Value> values) {
  const std::string_view name = c.exprs.name_of(values[0]);
  const auto arguments = values.subspan(1);
  if (name.starts_with('@') || name.starts_with("tir.")) return read_operator(c, name, arguments);
  const Form* const form = forms().find(text::PrintedForm::Place::expression, name);
  if (form != nullptr) return text::read_form(c, *form, id, arguments);
  if (arguments.size() == 1) {
    if (const auto lanes = broadcast_lanes(name)) {
      return make_broadcast(c, id, as_expr(c, arguments[0]), c.make.int32(*lanes));
    }
    // The lanes alone: the call with a value is around them.
    if (name == kScalableBroadcast) return as_expr(c, arguments[0]);
    if (const auto dtype = parse_dtype(name)) return c.make.cast(*dtype, as_expr(c, arguments[0]));
  }
  c.exprs.fail(values[0].syntax, fmt::format("'{}' is not a function of TIR", name));
}

/// `iter_var(name, range(…), tag)`, of which name and tag may be missing, and the domain too.
NodeId as_iter_var(Context& c, const Value& value, Binding binding) {
  std::string_view name;
  std::string_view tag;
  NodeId domain = NodeId::none;
  if (value.form == Value::Form::iter_var) {
    auto parts = c.exprs.elements(value);
    if (!parts.empty() && parts[0].form == Value::Form::name) {
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
    c.names.define(name, variable);
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

}  // namespace mlf::tir::repr
