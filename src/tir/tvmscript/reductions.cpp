// Reducers, iteration variables and index maps: whatever is written with a lambda or around one.
#include <fmt/core.h>

#include <algorithm>

#include "tir/tvmscript/expressions.h"

namespace mlf::tir::tvmscript {

using text::SyntaxId;
using text::SyntaxKind;

/// The types of a lambda's parameters follow from what stands behind it: its body waits until the
/// call around it is lowered. Gives the last node that belongs to the lambda.
SyntaxId Expressions::skip_lambda(SyntaxId params) {
  const std::uint32_t first = tree_[params].first;
  // The parameters themselves have been lowered as names.
  values_.resize(values_.size() - tree_[params].arity);
  for (SyntaxId i = params + 1; i < tree_.size(); ++i) {
    if (tree_[i].kind == SyntaxKind::lambda_params) {
      fail({.syntax = i}, "a lambda inside a lambda is not supported");
    }
    if (tree_[i].kind != SyntaxKind::lambda || tree_[i].first != first) continue;
    values_.push_back({.kind = ValueKind::lambda, .syntax = i, .first = params});
    return i;
  }
  fail({.syntax = params}, "a lambda without a body");
}

/// Makes a variable for each parameter and binds its name. A `dtypes` that is short repeats its
/// last element.
std::vector<NodeId> Expressions::lambda_params(const Value& lambda, std::span<const DType> dtypes) {
  if (lambda.kind != ValueKind::lambda) fail_expected(lambda, "a lambda");
  std::vector<NodeId> params;
  tree_.children(lambda.first, children_);
  for (const SyntaxId child : children_) {
    const std::size_t position = std::min(params.size(), dtypes.size() - 1);
    const std::string_view name = lexer_.slice(tree_[child].begin, tree_[child].end);
    params.push_back(c_.make.var(name, c_.make.prim_type(dtypes[position])));
    c_.names.bind(name, params.back());
  }
  return params;
}

std::vector<NodeId> Expressions::lambda_results(const Value& lambda) {
  const Value body = lower(tree_.last_child(lambda.syntax));
  return exprs(body);
}

/// `T.comm_reducer(lambda x, y: x + y, [T.float32(0)])`
NodeId Expressions::form_comm_reducer(const Arguments& args) {
  args.expect(2, 2);
  const Value lambda = args[0];
  const std::vector<NodeId> identities = exprs(args[1]);
  if (identities.empty()) fail(args[1], "expected at least one identity element");
  std::vector<DType> dtypes;
  for (int side = 0; side < 2; ++side) {
    for (const NodeId identity : identities) dtypes.push_back(c_.make.dtype_of(identity));
  }
  const std::size_t mark = c_.names.mark();
  const std::vector<NodeId> params = lambda_params(lambda, dtypes);
  if (params.size() != dtypes.size()) {
    fail(lambda, fmt::format("expected {} parameters for {} identity elements, found {}",
                             dtypes.size(), identities.size(), params.size()));
  }
  const std::vector<NodeId> results = lambda_results(lambda);
  c_.names.release(mark);
  const std::span<const NodeId> all(params);
  Builder& b = c_.builder;
  return b.make(Kind::CommReducer,
                {b.list(all.first(identities.size())), b.list(all.subspan(identities.size())),
                 b.list(results), b.list(identities)});
}

NodeId Expressions::form_reduce(const Arguments& args) {
  args.expect_keywords({"combiner", "source", "init", "axis", "condition", "value_index", "rdom"});
  const Value combiner = args.get(0, "combiner");
  if (combiner.kind != ValueKind::node || !c_.node(combiner.node).is(Kind::CommReducer)) {
    fail_expected(combiner, "a reducer");
  }
  const std::vector<NodeId> source = exprs(args.get(1, "source"));
  const auto& at = c_.rules.reduce;
  const auto init_value = args.find(at.init, "init");
  const std::vector<NodeId> init = init_value ? exprs(*init_value) : std::vector<NodeId>();
  std::vector<NodeId> axis;
  for (const Value& value : elements(args.get(at.axis, "axis"))) {
    if (value.kind != ValueKind::node || !c_.node(value.node).is(Kind::IterVar)) {
      fail_expected(value, "T.iter_var");
    }
    axis.push_back(value.node);
  }
  const auto condition_value = args.find(at.condition, "condition");
  if (at.condition == kNotPrinted) c_.lose(LossCode::reduce_fields, "initial values, conditions");
  if (init_value && init.empty()) c_.lose(LossCode::undefined_list, "initial values of a Reduce");
  const NodeId condition = condition_value ? expr(*condition_value) : c_.make.boolean(1);
  const auto index_value = args.find(at.value_index, "value_index");
  const std::int64_t index = index_value ? integer(*index_value) : 0;
  if (index < 0 || static_cast<std::size_t>(index) >= source.size()) {
    args.fail(fmt::format("value_index {} is out of range", index));
  }
  Builder& b = c_.builder;
  return b.make(Kind::Reduce,
                {c_.make.dtype_of(source[static_cast<std::size_t>(index)]), combiner.node,
                 b.list(source), b.list(init), b.list(axis), condition, index});
}

/// `T.Range(0, 8)`; before v0.12 the printer's `[0:8]`, the parser's `(0, 8)`.
NodeId Expressions::domain(const Value& value) {
  if (value.kind == ValueKind::tuple && value.count == 2) {
    return range_to(item(value, 0), item(value, 1));
  }
  const bool in_brackets = value.kind == ValueKind::list && value.count == 1;
  return range(in_brackets ? item(value, 0) : value);
}

/// `T.iter_var(v, T.Range(0, 8), "DataPar", "")`
NodeId Expressions::form_iter_var(const Arguments& args) {
  args.expect(4, 4);
  const NodeId dom = args[1].kind == ValueKind::none ? NodeId::none : domain(args[1]);
  const auto names = enum_names(Expects::iter_var_type);
  const auto found = std::ranges::find(names, string(args[2]));
  if (found == names.end()) {
    fail(args[2], fmt::format("'{}' is no type of iteration variable", string(args[2])));
  }
  NodeId variable = NodeId::none;
  if (args[0].kind == ValueKind::string) {
    const DType dtype = dom == NodeId::none ? DType::Int(32)
                                            : c_.make.dtype_of(c_.node(dom)[f::Range::extent].id());
    variable = c_.make.var(string(args[0]), c_.make.prim_type(dtype));
  } else {
    variable = var(args[0]);
  }
  return c_.builder.make(Kind::IterVar,
                         {dom, variable, static_cast<IterVarType>(found - names.begin()),
                          c_.builder.string(string(args[3]))});
}

/// The dtype of an index map's variables is not printed. Its constants have the same one: a bare
/// integer is int32. Without any it is int64, what TVM's own maps have.
DType Expressions::index_dtype(const Value& lambda) {
  c_.lose(LossCode::var_type, "variables of index maps");
  for (SyntaxId i = lambda.first + 1; i < lambda.syntax; ++i) {
    if (tree_[i].kind == SyntaxKind::integer) return DType::Int(32);
    if (tree_[i].kind != SyntaxKind::attribute) continue;
    const std::string_view path = lexer_.slice(tree_[i].begin, tree_[i].end);
    const std::string_view name = after_prefix(path, c_.prefixes.tir);
    if (const auto dtype = parse_dtype(name); dtype && !name.empty()) return *dtype;
  }
  return DType::Int(64);
}

NodeId Expressions::lambda_index_map(const Value& lambda, NodeId inverse) {
  if (lambda.kind != ValueKind::lambda) fail_expected(lambda, "a lambda");
  const DType dtype = index_dtype(lambda);
  const std::size_t mark = c_.names.mark();
  const std::vector<NodeId> initial = lambda_params(lambda, {&dtype, 1});
  const std::vector<NodeId> final_indices = lambda_results(lambda);
  c_.names.release(mark);
  Builder& b = c_.builder;
  return b.make(Kind::IndexMap, {b.list(initial), b.list(final_indices), inverse});
}

/// `T.index_map(lambda i, j: (j, i), inverse_index_map=lambda …)`
NodeId Expressions::form_index_map(const Arguments& args) {
  args.expect(1, 1);
  args.expect_keywords({"inverse_index_map"});
  const Value map = args[0];
  const auto inverse = args.keyword("inverse_index_map");
  const bool has_inverse = inverse && inverse->kind != ValueKind::none;
  return lambda_index_map(map,
                          has_inverse ? lambda_index_map(*inverse, NodeId::none) : NodeId::none);
}

}  // namespace mlf::tir::tvmscript
