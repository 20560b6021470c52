// The functions of the legacy text: operators, buffer definitions, and the nodes printed as calls.
#include <fmt/core.h>

#include <algorithm>

#include "tir/legacy/expressions.h"
#include "tir/text/infix.h"
#include "tir/text/op_table.h"
#include "tir/tvm_features.h"

namespace mlf::tir::legacy {
namespace {

using text::SyntaxId;

constexpr std::string_view kLlvmPureIntrinsic = "tir.call_llvm_pure_intrin";

constexpr std::string_view kIterVarTypes[] = {"DataPar",    "ThreadIndex",  "CommReduce",
                                              "Ordered",    "Opaque",       "Unrolled",
                                              "Vectorized", "Parallelized", "Tensorized"};

}  // namespace

const std::unordered_map<std::string_view, ExprReader::Function>& ExprReader::functions() {
  static const std::unordered_map<std::string_view, Function> known{
      {"floordiv", {&ExprReader::binary_call, 2}},
      {"floormod", {&ExprReader::binary_call, 2}},
      {"min", {&ExprReader::binary_call, 2}},
      {"max", {&ExprReader::binary_call, 2}},
      {"select", {&ExprReader::select, 3}},
      {"cast", {&ExprReader::cast, 2}},
      {"ramp", {&ExprReader::ramp, 3}},
      {"broadcast", {&ExprReader::broadcast, 2}},
      {"shuffle", {&ExprReader::shuffle, 2}},
      {"reduce", {&ExprReader::reduce, 5}},
      {"IterVar", {&ExprReader::iter_var, 4}},
  };
  return known;
}

NodeId ExprReader::binary_call(SyntaxId id, std::span<const Value> arguments) {
  const NodeId a = expr(arguments[0]);
  return make_.binary(*text::binary_kind(head_of(id)), a, expr(arguments[1]));
}

NodeId ExprReader::select(SyntaxId, std::span<const Value> arguments) {
  const NodeId condition = expr(arguments[0]);
  const NodeId true_value = expr(arguments[1]);
  return make_.select(condition, true_value, expr(arguments[2]));
}

NodeId ExprReader::cast(SyntaxId, std::span<const Value> arguments) {
  const NodeId operand = expr(arguments[1]);
  return make_.cast(dtype(arguments[0]), operand);
}

NodeId ExprReader::lanes(const Value& value) {
  const NodeId count = expr(value);
  const auto known = make_.lanes_of(count);
  if (!known) {
    fail_expected(value, "a number of lanes from 1 to 32767");
  }
  if (*known < 0) context_.versions.observe(TvmFeature::lanes_as_nodes);
  return count;
}

NodeId ExprReader::ramp(SyntaxId, std::span<const Value> arguments) {
  const NodeId base = expr(arguments[0]);
  const NodeId stride = expr(arguments[1]);
  return make_.ramp(base, stride, lanes(arguments[2]));
}

NodeId ExprReader::broadcast(SyntaxId, std::span<const Value> arguments) {
  const NodeId scalar = expr(arguments[0]);
  return make_.broadcast(scalar, lanes(arguments[1]));
}

NodeId ExprReader::shuffle(SyntaxId id, std::span<const Value> arguments) {
  const std::vector<NodeId> vectors = exprs(arguments[0]);
  const std::vector<NodeId> indices = exprs(arguments[1]);
  if (vectors.empty() || indices.empty()) fail(id, "expected vectors and indices in shuffle");
  return make_.shuffle(vectors, indices);
}

/// `reduce(combiner, [source], [axis], value_index, [init])`: the condition is not printed.
NodeId ExprReader::reduce(SyntaxId id, std::span<const Value> arguments) {
  Builder& builder = context_.builder;
  const NodeId combiner = attr_value(arguments[0]);
  const std::vector<NodeId> sources = exprs(arguments[1]);
  std::vector<NodeId> axes;
  for (const Value& axis : elements(arguments[2])) axes.push_back(attr_value(axis));
  const std::int64_t index = integer(arguments[3]);
  if (index < 0 || static_cast<std::size_t>(index) >= sources.size()) {
    fail(id, fmt::format("expected a value_index below {}, found {}", sources.size(), index));
  }
  const std::vector<NodeId> init = exprs(arguments[4]);
  context_.lose(LossCode::reduce_fields, "condition");
  if (init.empty()) context_.lose(LossCode::undefined_list, "initial values of a Reduce");
  const DType dtype = make_.dtype_of(sources[static_cast<std::size_t>(index)]);
  return builder.make(Kind::Reduce, {dtype, combiner, builder.list(sources), builder.list(init),
                                     builder.list(axes), NodeId::none, index});
}

/// `IterVar(v: int32, [0:16], "ThreadIndex", "threadIdx.x")`; `(nullptr)` for no domain.
NodeId ExprReader::iter_var(SyntaxId, std::span<const Value> arguments) {
  const NodeId variable = var(arguments[0]);
  NodeId domain = NodeId::none;
  if (arguments[1].form == Value::Form::list) {
    const std::vector<NodeId> bounds = ranges(arguments[1]);
    if (bounds.size() != 1) fail(arguments[1].syntax, "expected one range in the domain");
    domain = bounds[0];
  }
  const std::string type = string(arguments[2]);
  const auto* const found = std::ranges::find(kIterVarTypes, type);
  if (found == std::end(kIterVarTypes)) {
    fail(arguments[2].syntax, fmt::format("expected the type of an IterVar, found \"{}\"", type));
  }
  const auto iter_type = static_cast<IterVarType>(found - std::begin(kIterVarTypes));
  return context_.builder.make(
      Kind::IterVar, {domain, variable, iter_type, context_.builder.string(string(arguments[3]))});
}

/// `@tir.exp(x, dtype=float32)`, `@f(…)`: an Op by its namespace, else a function of the module.
NodeId ExprReader::call_operator(SyntaxId id, std::span<const Value> values) {
  const std::string_view name = name_of(values[0]).substr(1);
  const Value& last = values.back();
  if (values.size() < 2 || last.keyword == Value::kNone) {
    fail(id, fmt::format("expected 'dtype=' as the last argument of @{}", name));
  }
  const DType result = dtype(last);
  std::vector<NodeId>& arguments = scratch_;
  arguments.clear();
  for (const Value& argument : values.subspan(1, values.size() - 2)) {
    arguments.push_back(expr(argument));
  }
  if (name == kLlvmPureIntrinsic && values[1].form == Value::Form::string) {
    context_.versions.observe(TvmFeature::names_pure_llvm_intrinsics);
    context_.lose(LossCode::llvm_intrinsic, text_of(values[1].syntax));
  }
  const bool is_operator = name.starts_with("tir.");
  if (const text::OpInfo* const known = text::find_op(name))
    context_.versions.at_least(known->since);
  return make_.call(is_operator ? make_.op(name) : make_.global_var(name), arguments, result);
}

/// `T: DataProducer("T", float32, [16])`, of which the text has nothing more: a placeholder.
NodeId ExprReader::define_producer(std::span<const Value> values) {
  Builder& builder = context_.builder;
  const std::string_view name = name_of(values[0]);
  if (const NodeId known = context_.names.find(name); known != NodeId::none) return known;
  if (values.size() != 4) {
    fail(values[0].syntax, "expected the name, dtype and shape of a producer");
  }
  const std::string hint = string(values[1]);
  const DType element = dtype(values[2]);
  const ListId shape = builder.list(exprs(values[3]));
  const NodeId op = builder.make(Kind::PlaceholderOp, {builder.string(hint), builder.string(""),
                                                       NodeId::none, shape, element});
  const NodeId node = builder.make(Kind::Tensor, {shape, element, op, std::int64_t{0}});
  context_.lose(LossCode::producer, hint);
  context_.names.define(name, node);
  // Loads print the hint, unique or not.
  const std::string_view printed = text_of(values[1].syntax);
  const std::string_view raw = printed.substr(1, printed.size() - 2);
  if (context_.names.find(raw) == NodeId::none) context_.names.define(raw, node);
  return node;
}

/// `A: Buffer(data, dtype, [shape], [strides], options…)`, printed where the buffer is met first.
NodeId ExprReader::define_buffer(std::span<const Value> values) {
  const std::string_view name = name_of(values[0]);
  if (const NodeId known = context_.names.find(name); known != NodeId::none) return known;
  if (values.size() < 5) {
    fail(values[0].syntax, "expected data, dtype, shape and strides of a buffer");
  }
  text::BufferSpec spec{.name = name};
  spec.data = var(values[1]);
  spec.dtype = dtype(values[2]);
  spec.shape = exprs(values[3]);
  spec.strides = exprs(values[4]);
  const bool has_symbolic_size =
      std::ranges::any_of(elements(values[3]), [](const Value& size) { return size.is_annotated; });
  if (has_symbolic_size) context_.lose(LossCode::size_var, name);
  bool has_alignment = false;
  for (const Value& option : values.subspan(5)) has_alignment |= buffer_option(option, spec);
  const NodeId node = make_.buffer(spec);
  if (!has_alignment) context_.default_aligned.push_back(node);
  context_.lose(LossCode::buffer_defaults, "buffer");
  context_.names.define(name, node);
  return node;
}

/// Whether the option is the alignment.
bool ExprReader::buffer_option(const Value& option, text::BufferSpec& spec) {
  if (option.keyword == Value::kNone) {
    fail_expected(option, "an option of a buffer");
  }
  const text::Syntax& keyword = tree()[option.keyword];
  const std::string_view name = context_.slice(keyword.name_begin, keyword.name_end);
  if (name == "elem_offset") {
    spec.elem_offset = expr(option);
  } else if (name == "axis_separators") {
    context_.versions.observe(TvmFeature::axis_separators);
    spec.axis_separators = exprs(option);
  } else if (name == "scope") {
    // The scope of the data pointer, whose type says it too.
    static_cast<void>(string(option));
  } else if (name == "align") {
    spec.data_alignment = integer(option);
    // The default is not printed.
    if (spec.data_alignment == 128) context_.versions.observe_absence(TvmFeature::aligns_to_128);
    if (spec.data_alignment == 64) context_.versions.observe(TvmFeature::aligns_to_128);
    return true;
  } else if (name == "offset_factor") {
    spec.offset_factor = integer(option);
  } else if (name == "type") {
    if (string(option) == "auto") spec.type = BufferType::auto_broadcast;
  } else {
    fail(option.keyword, fmt::format("a buffer has no option '{}'", name));
  }
  return false;
}

}  // namespace mlf::tir::legacy
