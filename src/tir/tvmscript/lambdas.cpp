// Reducers, iteration variables and index maps: whatever is written with a lambda or around one.
#include <fmt/core.h>

#include <algorithm>

#include "tir/tvm_features.h"
#include "tir/tvmscript/accesses.h"
#include "tir/tvmscript/attributes.h"
#include "tir/tvmscript/conversions.h"
#include "tir/tvmscript/expressions.h"
#include "tir/tvmscript/irregular_forms.h"

namespace mlf::tir::tvmscript {
namespace {

using text::SyntaxId;
using text::SyntaxKind;

/// Makes a variable for each parameter and binds its name. A `dtypes` that is short repeats its
/// last element.
std::vector<NodeId> lambda_params(Context& c, const Value& lambda, std::span<const DType> dtypes) {
  if (lambda.kind != ValueKind::lambda) fail_expected(c, lambda, "a lambda");
  std::vector<NodeId> params;
  for (const SyntaxId child : c.values.children(lambda.first)) {
    const std::size_t position = std::min(params.size(), dtypes.size() - 1);
    const std::string_view name = c.values.text(child);
    params.push_back(c.make.var(name, c.make.prim_type(dtypes[position])));
    c.names.bind(name, params.back());
  }
  return params;
}

std::vector<NodeId> lambda_results(Context& c, const Value& lambda) {
  const Value body = lower(c, c.values.tree().last_child(lambda.syntax));
  return as_exprs(c, body);
}

/// `T.Range(0, 8)`; before v0.12 the printer's `[0:8]`, the parser's `(0, 8)`.
NodeId as_domain(Context& c, const Value& value) {
  if (value.kind == ValueKind::tuple && value.count == 2) {
    return range_to(c, c.values.item(value, 0), c.values.item(value, 1));
  }
  const bool in_brackets = value.kind == ValueKind::list && value.count == 1;
  return as_range(c, in_brackets ? c.values.item(value, 0) : value);
}

/// The dtype of an index map's variables is not printed. Its constants have the same one: a bare
/// integer is int32. Without any it is int64, what TVM's own maps have.
DType index_dtype(Context& c, const Value& lambda) {
  c.lose(LossCode::var_type);
  for (SyntaxId i = lambda.first + 1; i < lambda.syntax; ++i) {
    if (c.values.syntax(i).kind == SyntaxKind::integer) return DType::Int(32);
    if (c.values.syntax(i).kind != SyntaxKind::attribute) continue;
    const std::string_view path = c.values.text(i);
    const std::string_view name = after_prefix(path, c.prefixes.tir);
    if (const auto dtype = parse_dtype(name); dtype && !name.empty()) return *dtype;
  }
  return DType::Int(64);
}

NodeId lambda_index_map(Context& c, const Value& lambda, NodeId inverse) {
  if (lambda.kind != ValueKind::lambda) fail_expected(c, lambda, "a lambda");
  const DType dtype = index_dtype(c, lambda);
  const std::size_t mark = c.names.mark();
  const std::vector<NodeId> initial = lambda_params(c, lambda, {&dtype, 1});
  const std::vector<NodeId> final_indices = lambda_results(c, lambda);
  c.names.release(mark);
  Builder& b = c.builder;
  return b.make(Kind::IndexMap, {b.list(initial), b.list(final_indices), inverse});
}

}  // namespace

/// The types of a lambda's parameters follow from what is behind it: its body waits until the
/// call around it is lowered. Gives the last node that belongs to the lambda.
SyntaxId skip_lambda(Context& c, SyntaxId params) {
  const std::uint32_t first = c.values.syntax(params).first;
  // The parameters themselves have been lowered as names.
  c.values.drop(c.values.syntax(params).arity);
  for (SyntaxId i = params + 1; i < c.values.tree().size(); ++i) {
    if (c.values.syntax(i).kind == SyntaxKind::lambda_params) {
      c.values.fail({.syntax = i}, "a lambda inside a lambda is not supported");
    }
    if (c.values.syntax(i).kind != SyntaxKind::lambda || c.values.syntax(i).first != first) {
      continue;
    }
    c.values.push({.kind = ValueKind::lambda, .syntax = i, .first = params});
    return i;
  }
  c.values.fail({.syntax = params}, "a lambda without a body");
}

/// `T.comm_reducer(lambda x, y: x + y, [T.float32(0)])`
NodeId read_comm_reducer(Context& c, const Arguments& args) {
  args.expect(2, 2);
  const Value lambda = args[0];
  const std::vector<NodeId> identities = as_exprs(c, args[1]);
  if (identities.empty()) c.values.fail(args[1], "expected at least one identity element");
  std::vector<DType> dtypes;
  for (int side = 0; side < 2; ++side) {
    for (const NodeId identity : identities) dtypes.push_back(c.make.dtype_of(identity));
  }
  const std::size_t mark = c.names.mark();
  const std::vector<NodeId> params = lambda_params(c, lambda, dtypes);
  if (params.size() != dtypes.size()) {
    c.values.fail(lambda, fmt::format("expected {} parameters for {} identity elements, found {}",
                                      dtypes.size(), identities.size(), params.size()));
  }
  const std::vector<NodeId> results = lambda_results(c, lambda);
  c.names.release(mark);
  const std::span<const NodeId> all(params);
  Builder& b = c.builder;
  return b.make(Kind::CommReducer,
                {b.list(all.first(identities.size())), b.list(all.subspan(identities.size())),
                 b.list(results), b.list(identities)});
}

NodeId read_reduce(Context& c, const Arguments& args) {
  args.expect_keywords({"combiner", "source", "init", "axis", "condition", "value_index", "rdom"});
  const Value combiner = args.get(0, "combiner");
  if (combiner.kind != ValueKind::node || !c.node(combiner.node).is(Kind::CommReducer)) {
    fail_expected(c, combiner, "a reducer");
  }
  const std::vector<NodeId> source = as_exprs(c, args.get(1, "source"));
  const auto& at = c.rules.reduce;
  const auto init_value = args.find(at.init, "init");
  const std::vector<NodeId> init = init_value ? as_exprs(c, *init_value) : std::vector<NodeId>();
  std::vector<NodeId> axis;
  for (const Value& value : c.values.elements(args.get(at.axis, "axis"))) {
    if (value.kind != ValueKind::node || !c.node(value.node).is(Kind::IterVar)) {
      fail_expected(c, value, "T.iter_var");
    }
    axis.push_back(value.node);
  }
  const auto condition_value = args.find(at.condition, "condition");
  if (at.condition == kNotPrinted) c.lose(LossCode::reduce_fields);
  if (init_value && init.empty()) c.lose(LossCode::undefined_list, "Reduce.init");
  const NodeId condition = condition_value ? as_expr(c, *condition_value) : c.make.boolean(1);
  const auto index_value = args.find(at.value_index, "value_index");
  const std::int64_t index = index_value ? as_integer(c, *index_value) : 0;
  if (index < 0 || static_cast<std::size_t>(index) >= source.size()) {
    args.fail(fmt::format("value_index {} is out of range", index));
  }
  Builder& b = c.builder;
  return b.make(Kind::Reduce,
                {c.make.dtype_of(source[static_cast<std::size_t>(index)]), combiner.node,
                 b.list(source), b.list(init), b.list(axis), condition, index});
}

namespace {

/// Device kernels list their threads in the attribute `tir.device_thread_axis`, which v0.9 prints
/// before `blockIdx_x = T.env_thread("blockIdx.x")`: such a name is declared further down.
NodeId thread_var(Context& c, const Value& value) {
  if (value.kind != ValueKind::path) return as_var(c, value);
  const std::string_view name = c.values.text(value);
  if (name.find('.') != std::string_view::npos) return as_var(c, value);
  const auto [thread, is_new] = c.threads_ahead.try_emplace(name);
  if (is_new) {
    thread->second = {c.make.var(name, c.make.prim_type(DType::Int(32))), c.values.begin(value)};
  }
  return thread->second.var;
}

}  // namespace

/// `T.iter_var(v, T.Range(0, 8), "DataPar", "")`
NodeId read_iter_var(Context& c, const Arguments& args) {
  args.expect(4, 4);
  const NodeId dom = args[1].kind == ValueKind::none ? NodeId::none : as_domain(c, args[1]);
  const auto names = enum_names(Expects::iter_var_type);
  const auto found = std::ranges::find(names, as_string(c, args[2]));
  if (found == names.end()) {
    c.values.fail(args[2],
                  fmt::format("'{}' is not a type of iteration variable", as_string(c, args[2])));
  }
  NodeId variable = NodeId::none;
  if (args[0].kind == ValueKind::string) {
    const DType dtype =
        dom == NodeId::none ? DType::Int(32) : c.make.dtype_of(c.node(dom)[f::Range::extent].id());
    variable = c.make.var(as_string(c, args[0]), c.make.prim_type(dtype));
  } else {
    const auto type = static_cast<IterVarType>(found - names.begin());
    variable = type == IterVarType::ThreadIndex ? thread_var(c, args[0]) : as_var(c, args[0]);
  }
  return c.builder.make(Kind::IterVar,
                        {dom, variable, static_cast<IterVarType>(found - names.begin()),
                         c.builder.string(as_string(c, args[3]))});
}

/// `T.index_map(lambda i, j: (j, i), inverse_index_map=lambda …)`
NodeId read_index_map(Context& c, const Arguments& args) {
  args.expect(1, 1);
  args.expect_keywords({"inverse_index_map"});
  const Value map = args[0];
  const auto inverse = args.keyword("inverse_index_map");
  const bool has_inverse = inverse && inverse->kind != ValueKind::none;
  return lambda_index_map(c, map,
                          has_inverse ? lambda_index_map(c, *inverse, NodeId::none) : NodeId::none);
}

/// `T.Let(body, where={x: v})`
NodeId read_let(Context& c, const Arguments& args) {
  args.expect(1, 1);
  args.expect_keywords({"where"});
  const Value where = args.get(1, "where");
  if (where.kind != ValueKind::dict) fail_expected(c, where, "a dictionary");
  NodeId node = as_expr(c, args[0]);
  for (std::uint32_t i = where.count; i >= 2; i -= 2) {
    const NodeId bound = as_var(c, c.values.item(where, i - 2));
    node = c.make.let(bound, as_expr(c, c.values.item(where, i - 1)), node);
  }
  return node;
}

/// Up to v0.15 the second argument is the extent, from v0.16 on the end.
NodeId read_range(Context& c, const Arguments& args) {
  args.expect(1, 2);
  const NodeId first = as_expr(c, args[0]);
  if (args.size() == 1) {
    const NodeId zero = c.make.int_imm(c.make.dtype_of(first), 0);
    return c.builder.make(Kind::Range, {zero, first});
  }
  const NodeId second = as_expr(c, args[1]);
  const bool is_extent = !c.versions.may_have(TvmFeature::range_of_ir);
  return c.builder.make(Kind::Range,
                        {first, is_extent ? second : c.make.extent(first, second, c.function())});
}

}  // namespace mlf::tir::tvmscript
