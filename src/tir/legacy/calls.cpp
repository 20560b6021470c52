// What the legacy text prints as a call: operators, functions of the module, and some nodes.
#include <fmt/core.h>

#include <algorithm>

#include "tir/legacy/expressions.h"
#include "tir/legacy/forms.h"
#include "tir/text/op_table.h"

namespace mlf::tir::legacy {
namespace {

// Since v0.9 the printer writes the name of the intrinsic in place of its number.
constexpr std::string_view kLlvmPureIntrinsic = "tir.call_llvm_pure_intrin";

/// `@tir.exp(x, dtype=float32)`, `@f(…)`: an Op by its namespace, else a function of the module.
NodeId read_operator(Context& c, SyntaxId id, std::span<const Value> values) {
  const std::string_view name = c.exprs.name_of(values[0]).substr(1);
  const Value& last = values.back();
  if (values.size() < 2 || last.keyword == Value::kNone) {
    c.exprs.fail(id, fmt::format("expected 'dtype=' as the last argument of @{}", name));
  }
  const DType result = as_dtype(c, last);
  std::vector<NodeId>& arguments = c.scratch;
  arguments.clear();
  for (const Value& argument : values.subspan(1, values.size() - 2)) {
    arguments.push_back(as_expr(c, argument));
  }
  if (name == kLlvmPureIntrinsic && values[1].form == Value::Form::string) {
    c.versions.observe(TvmFeature::names_pure_llvm_intrinsics);
    c.lose(LossCode::llvm_intrinsic, c.exprs.text_of(values[1].syntax));
  }
  const bool is_operator = name.starts_with("tir.");
  if (const text::OpInfo* const known = text::find_op(name)) c.versions.at_least(known->since);
  return c.make.call(is_operator ? c.make.op(name) : c.make.global_var(name), arguments, result);
}

}  // namespace

/// `shuffle([vectors], [indices])`.
NodeId read_shuffle(Context& c, SyntaxId id, std::span<const Value> arguments) {
  const std::vector<NodeId> vectors = as_exprs(c, arguments[0]);
  const std::vector<NodeId> indices = as_exprs(c, arguments[1]);
  if (vectors.empty() || indices.empty())
    c.exprs.fail(id, "expected vectors and indices in shuffle");
  return c.make.shuffle(vectors, indices);
}

/// `reduce(combiner, [source], [axis], value_index, [init])`: the condition is not printed.
NodeId read_reduce(Context& c, SyntaxId id, std::span<const Value> arguments) {
  Builder& builder = c.builder;
  const NodeId combiner = as_attribute(c, arguments[0]);
  const std::vector<NodeId> sources = as_exprs(c, arguments[1]);
  std::vector<NodeId> axes;
  for (const Value& axis : c.exprs.elements(arguments[2])) axes.push_back(as_attribute(c, axis));
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
NodeId read_iter_var(Context& c, SyntaxId, std::span<const Value> arguments) {
  const NodeId variable = as_var(c, arguments[0]);
  NodeId domain = NodeId::none;
  if (arguments[1].form == Value::Form::list) {
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

/// Anything in front of a parenthesis that is not an operator is a row of printed_forms.def.
NodeId read_call(Context& c, SyntaxId id, std::span<const Value> values) {
  if (values[0].form != Value::Form::name) c.exprs.fail_expected(values[0], "a function");
  const std::string_view name = c.exprs.name_of(values[0]);
  if (name.starts_with('@')) return read_operator(c, id, values);
  const Form* const form = forms().find(text::PrintedForm::Place::expression, name);
  if (form == nullptr) {
    c.exprs.fail(values[0].syntax, fmt::format("'{}' is not a function of TIR", name));
  }
  return text::read_form(c, *form, id, values.subspan(1));
}

}  // namespace mlf::tir::legacy
