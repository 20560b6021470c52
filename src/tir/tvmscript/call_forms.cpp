// Builtins that are nodes of their own, not calls of an operator.
#include <fmt/core.h>

#include <algorithm>

#include "tir/tvm_features.h"
#include "tir/tvmscript/expressions.h"
#include "tir/tvmscript/operators.h"
#include "tir/tvmscript/spelling.h"

namespace mlf::tir::tvmscript {
const std::unordered_map<std::string_view, Expressions::CallForm>& Expressions::tir_forms() {
  using E = Expressions;
  static const auto forms = [] {
    std::unordered_map<std::string_view, CallForm> map{
        {"Not", &E::form_not},
        {"load", &E::form_load},
        {"Any", &E::form_any},
        {"comm_reducer", &E::form_comm_reducer},
        {"iter_var", &E::form_iter_var},
        {"Range", &E::form_range},
        {"index_map", &E::form_index_map},
        {"handle", &E::form_handle},
        {"Ptr", &E::form_handle},
        {"Tuple", &E::form_tuple_type},
        {"target", &E::form_target},
        {"Call", &E::form_node_call},
        {"StringImm", &E::form_string_imm},
        {"IntImm", &E::form_int_imm},
        {"FloatImm", &E::form_float_imm},
    };
    constexpr struct {
      Kind kind;
      CallForm form, old_form;
    } kForms[] = {
        {Kind::Cast, &E::form_cast, &E::form_cast},
        {Kind::Select, &E::form_select, &E::form_select},
        {Kind::Ramp, &E::form_ramp, &E::form_ramp},
        {Kind::Broadcast, &E::form_broadcast, &E::form_broadcast},
        {Kind::Shuffle, &E::form_shuffle, &E::form_shuffle},
        {Kind::Let, &E::form_let, &E::form_old_let},
        {Kind::Reduce, &E::form_node_reduce, &E::form_reduce},
    };
    for (const auto& row : kForms) {
      map.emplace(node_function(row.kind).name, row.form);
      map.emplace(node_function(row.kind).old_name, row.old_form);
    }
    for (const BinaryOperator& row : kBinaryOperators) {
      map.emplace(row.call, &E::form_binary);
      if (!row.function.empty()) map.emplace(row.function, &E::form_binary);
    }
    return map;
  }();
  return forms;
}

const std::unordered_map<std::string_view, Expressions::CallForm>& Expressions::ir_forms() {
  using E = Expressions;
  static const std::unordered_map<std::string_view, CallForm> forms{
      {"Range", &E::form_range},
      {"min", &E::form_binary},
      {"max", &E::form_binary},
      {"AllocatedPoolInfo", &E::form_allocated_pool_info},
      {"ConstantPoolInfo", &E::form_constant_pool_info},
      {"ConstantInfo", &E::form_constant_info},
      {"GlobalVar", &E::form_global_var},
      {"Op", &E::form_op},
      {"TensorType", &E::form_tensor_type},
      {"FuncType", &E::form_func_type},
      {"TypeVar", &E::form_type_var},
      {"IncompleteType", &E::form_incomplete_type},
      {"vdevice", &E::form_vdevice},
      {"dummy_global_info", &E::form_dummy_global_info},
  };
  return forms;
}

NodeId Expressions::form_binary(const Arguments& args) {
  args.expect(2, 2);
  args.expect_keywords({});
  const std::string_view name = args.callee().substr(args.callee().rfind('.') + 1);
  return binary(binary_function(name)->kind, args[0], args[1]);
}

NodeId Expressions::form_not(const Arguments& args) {
  args.expect(1, 1);
  return c_.make.logical_not(expr(args[0]));
}

NodeId Expressions::form_cast(const Arguments& args) {
  args.expect(2, 2);
  // v0.10 and older wrote the value first.
  const bool dtype_first = args[0].kind == ValueKind::string;
  if (dtype_first) {
    c_.versions.observe(TvmFeature::cast_dtype_first);
  } else {
    c_.versions.observe_absence(TvmFeature::cast_dtype_first);
  }
  const DType target = dtype(args[dtype_first ? 0 : 1]);
  return c_.make.cast(target, expr(args[dtype_first ? 1 : 0]));
}

NodeId Expressions::form_select(const Arguments& args) {
  args.expect(3, 3);
  const NodeId condition = expr(args[0]);
  const NodeId true_value = expr(args[1]);
  return c_.make.select(condition, true_value, expr(args[2]));
}

NodeId Expressions::lanes(const Value& value) {
  const NodeId node = expr(value);
  if (c_.make.lanes_of(node)) {
    if (!c_.node(node).is(Kind::IntImm)) c_.versions.observe(TvmFeature::lanes_as_nodes);
    return node;
  }
  fail(value, "expected a number of lanes: 1 to 32767, or such a number times vscale()");
}

NodeId Expressions::form_ramp(const Arguments& args) {
  args.expect(3, 3);
  const NodeId base = expr(args[0]);
  const NodeId stride = expr(args[1]);
  return c_.make.ramp(base, stride, lanes(args[2]));
}

NodeId Expressions::form_broadcast(const Arguments& args) {
  args.expect(2, 2);
  const NodeId value = expr(args[0]);
  return c_.make.broadcast(value, lanes(args[1]));
}

NodeId Expressions::form_shuffle(const Arguments& args) {
  args.expect(2, 2);
  const std::vector<NodeId> vectors = exprs(args[0]);
  return c_.make.shuffle(vectors, exprs(args[1]));
}

/// `T.Let(body, where={x: v})`
NodeId Expressions::form_let(const Arguments& args) {
  args.expect(1, 1);
  args.expect_keywords({"where"});
  const Value where = args.get(1, "where");
  if (where.kind != ValueKind::dict) fail_expected(where, "a dictionary");
  NodeId node = expr(args[0]);
  for (std::uint32_t i = where.count; i >= 2; i -= 2) {
    const NodeId bound = var(item(where, i - 2));
    node = c_.make.let(bound, expr(item(where, i - 1)), node);
  }
  return node;
}

/// `T.let(x, value, body)` of the versions before v0.12.
NodeId Expressions::form_old_let(const Arguments& args) {
  args.expect(3, 3);
  const NodeId bound = var(args[0]);
  const NodeId value = expr(args[1]);
  return c_.make.let(bound, value, expr(args[2]));
}

/// `T.load("float32", pointer, index, predicate)`
NodeId Expressions::form_load(const Arguments& args) {
  args.expect(3, 4);
  const DType loaded = dtype(args[0]);
  const NodeId pointer = var(args[1]);
  const NodeId index = expr(args[2]);
  const NodeId predicate = args.size() > 3 ? expr(args[3]) : c_.make.boolean(1);
  return c_.builder.make(Kind::Load, {loaded, pointer, index, predicate});
}

NodeId Expressions::form_any(const Arguments& args) {
  args.expect(0, 0);
  return c_.builder.make(Kind::Any, {DType::Int(32)});
}

/// Up to v0.15 the second argument is the extent, from v0.16 on the end.
NodeId Expressions::form_range(const Arguments& args) {
  args.expect(1, 2);
  if (args.callee().starts_with(c_.prefixes.ir)) c_.versions.observe(TvmFeature::range_of_ir);
  const NodeId first = expr(args[0]);
  if (args.size() == 1) {
    const NodeId zero = c_.make.int_imm(c_.make.dtype_of(first), 0);
    return c_.builder.make(Kind::Range, {zero, first});
  }
  const NodeId second = expr(args[1]);
  const bool is_extent = !c_.versions.may_have(TvmFeature::range_of_ir);
  return c_.builder.make(
      Kind::Range, {first, is_extent ? second : c_.make.extent(first, second, c_.function())});
}

}  // namespace mlf::tir::tvmscript
