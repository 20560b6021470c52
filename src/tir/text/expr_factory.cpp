#include "tir/text/expr_factory.h"

#include "tir/node_queries.h"

#include <algorithm>
#include <limits>

#include "support/error.h"
#include "tir/text/op_table.h"
#include "tir/tvm_features.h"

namespace mlf::tir::text {
namespace {

bool gives_bool(Kind kind) {
  return kind >= Kind::EQ && kind <= Kind::Or;
}

std::int64_t constant(Node node) {
  return node.integer(f::IntImm::value);
}

bool is_zero(Node node) {
  return node.is(Kind::IntImm) && constant(node) == 0;
}

}  // namespace

std::int64_t default_alignment(std::uint8_t tvm_minor_version) {
  return has(tvm_minor_version, TvmFeature::aligns_to_128) ? 128 : 64;
}

DType ExprFactory::dtype_of(NodeId expr) const {
  const Node node = builder_->node(expr);
  return is_expr(node.category()) ? node.dtype() : DType::Handle();
}

NodeId ExprFactory::int_imm(DType dtype, std::int64_t value) {
  return builder_->make(Kind::IntImm, {dtype, value});
}

NodeId ExprFactory::float_imm(DType dtype, double value) {
  return builder_->make(Kind::FloatImm, {dtype, value});
}

NodeId ExprFactory::string_imm(std::string_view value) {
  return builder_->make(Kind::StringImm, {DType::Handle(), builder_->string(value)});
}

NodeId ExprFactory::string(std::string_view value) {
  return builder_->make(Kind::String, {builder_->string(value)});
}

NodeId ExprFactory::binary(Kind kind, NodeId a, NodeId b) {
  const DType left = dtype_of(a);
  const DType element = gives_bool(kind) ? DType::Bool() : left;
  const std::int16_t lanes = left.is_scalar() ? dtype_of(b).lanes : left.lanes;
  return builder_->make(kind, {element.with_lanes(lanes), a, b});
}

NodeId ExprFactory::logical_not(NodeId a) {
  return builder_->make(Kind::Not, {DType::Bool().with_lanes(dtype_of(a).lanes), a});
}

NodeId ExprFactory::cast(DType dtype, NodeId value) {
  return builder_->make(Kind::Cast, {dtype, value});
}

NodeId ExprFactory::select(NodeId condition, NodeId true_value, NodeId false_value) {
  return builder_->make(Kind::Select, {dtype_of(true_value), condition, true_value, false_value});
}

NodeId ExprFactory::ramp(NodeId base, NodeId stride, NodeId lanes) {
  return builder_->make(Kind::Ramp,
                        {dtype_of(base).with_lanes(*lanes_of(lanes)), base, stride, lanes});
}

NodeId ExprFactory::broadcast(NodeId value, NodeId lanes) {
  return builder_->make(Kind::Broadcast,
                        {dtype_of(value).with_lanes(*lanes_of(lanes)), value, lanes});
}

bool ExprFactory::is_vscale(NodeId expr) const {
  return is_call_of(builder_->node(expr), "tir.vscale");
}

std::optional<std::int16_t> ExprFactory::lanes_of(NodeId lanes) const {
  const Node node = builder_->node(lanes);
  if (is_vscale(lanes)) return std::int16_t{-1};
  if (node.is(Kind::Mul)) {
    const Node a = node[f::Mul::a];
    const Node b = node[f::Mul::b];
    if (is_vscale(a.id()) == is_vscale(b.id())) return std::nullopt;
    const Node factor = is_vscale(a.id()) ? b : a;
    if (!factor.is(Kind::IntImm)) return std::nullopt;
    const auto count = lanes_of(factor.id());
    return count ? std::optional(static_cast<std::int16_t>(-*count)) : std::nullopt;
  }
  if (!node.is(Kind::IntImm)) return std::nullopt;
  const std::int64_t count = constant(node);
  if (count < 1 || count > std::numeric_limits<std::int16_t>::max()) return std::nullopt;
  return static_cast<std::int16_t>(count);
}

NodeId ExprFactory::let(NodeId var, NodeId value, NodeId body) {
  return builder_->make(Kind::Let, {dtype_of(body), var, value, body});
}

NodeId ExprFactory::shuffle(std::span<const NodeId> vectors, std::span<const NodeId> indices) {
  const DType element = vectors.empty() ? DType::Void() : dtype_of(vectors.front());
  const auto lanes = static_cast<std::int16_t>(indices.size());
  return builder_->make(
      Kind::Shuffle, {element.with_lanes(lanes), builder_->list(vectors), builder_->list(indices)});
}

std::int32_t ExprFactory::loaded_lanes(NodeId buffer, std::span<const NodeId> indices) const {
  const std::int32_t lanes = builder_->node(buffer).dtype(f::Buffer::dtype).lanes;
  return indices.empty() ? lanes : lanes * dtype_of(indices.back()).lanes;
}

bool ExprFactory::is_loadable(NodeId buffer, std::span<const NodeId> indices) const {
  return std::abs(loaded_lanes(buffer, indices)) <= std::numeric_limits<std::int16_t>::max();
}

DType ExprFactory::loaded_dtype(NodeId buffer, std::span<const NodeId> indices) const {
  if (!is_loadable(buffer, indices)) {
    throw support::Error(ErrorKind::invalid_input, "a load of more than 32767 lanes");
  }
  const auto lanes = static_cast<std::int16_t>(loaded_lanes(buffer, indices));
  return builder_->node(buffer).dtype(f::Buffer::dtype).with_lanes(lanes);
}

NodeId ExprFactory::buffer_load(NodeId buffer, std::span<const NodeId> indices, NodeId predicate) {
  return builder_->make(Kind::BufferLoad, {loaded_dtype(buffer, indices), buffer,
                                           builder_->list(indices), predicate});
}

NodeId ExprFactory::call(NodeId callee, std::span<const NodeId> args, DType dtype) {
  return builder_->make(Kind::Call, {dtype, callee, builder_->list(args)});
}

NodeId ExprFactory::call_inferred(std::string_view op_name, std::span<const NodeId> args,
                                  std::string_view where) {
  arg_dtypes_.clear();
  for (const NodeId arg : args) arg_dtypes_.push_back(dtype_of(arg));
  const OpInfo* const known = find_op(op_name);
  const DtypeRule rule = known != nullptr ? known->rule : DtypeRule::argument_0;
  const DType dtype = infer_dtype(rule, arg_dtypes_).value_or(DType::Int(32));
  losses_->add(LossCode::call_dtype, where, op_name);
  return call(op(op_name), args, dtype);
}

NodeId ExprFactory::var(std::string_view name, NodeId type, Kind kind) {
  return builder_->make(kind, {dtype_of_type(type), builder_->string(name), type});
}

NodeId ExprFactory::buffer(const BufferSpec& spec) {
  NodeId elem_offset = spec.elem_offset;
  if (elem_offset == NodeId::none) {
    elem_offset = int_imm(spec.shape.empty() ? DType::Int(32) : dtype_of(spec.shape.front()), 0);
  }
  return builder_->make(
      Kind::Buffer,
      {spec.data, spec.dtype, builder_->list(spec.shape), builder_->list(spec.strides),
       builder_->list(spec.axis_separators), elem_offset, builder_->string(spec.name),
       spec.data_alignment, spec.offset_factor, spec.type});
}

NodeId ExprFactory::range(NodeId begin, NodeId end) {
  return builder_->make(Kind::Range, {begin, extent(begin, end)});
}

NodeId ExprFactory::extent(NodeId begin, NodeId end, std::string_view where) {
  const Node first = builder_->node(begin);
  const Node last = builder_->node(end);
  if (is_zero(first)) return end;
  if (first.is(Kind::IntImm) && last.is(Kind::IntImm)) {
    // Unsigned, so that nonsense bounds wrap instead of being undefined.
    const auto difference =
        static_cast<std::uint64_t>(constant(last)) - static_cast<std::uint64_t>(constant(first));
    return int_imm(last.dtype(), static_cast<std::int64_t>(difference));
  }
  if (last.is(Kind::Add) && same_expr(last[f::Add::a].id(), begin)) return last[f::Add::b].id();
  if (same_expr(begin, end)) return int_imm(last.dtype(), 0);
  losses_->add(LossCode::loop_extent, where, "computed as a difference");
  return binary(Kind::Sub, end, begin);
}

NodeId ExprFactory::prim_type(DType dtype) {
  const auto [found, is_new] = prim_types_.try_emplace(dtype.packed());
  if (is_new) found->second = builder_->make(Kind::PrimType, {dtype});
  return found->second;
}

NodeId ExprFactory::pointer_type(NodeId element_type, std::string_view storage_scope) {
  return builder_->make(Kind::PointerType, {element_type, builder_->string(storage_scope)});
}

NodeId ExprFactory::tuple_type(std::span<const NodeId> fields) {
  return builder_->make(Kind::TupleType, {builder_->list(fields)});
}

DType ExprFactory::dtype_of_type(NodeId type) const {
  const Node node = builder_->node(type);
  if (node.is(Kind::PrimType)) return node.dtype(std::uint8_t{f::PrimType::dtype});
  if (node.is(Kind::TupleType) && node.list(f::TupleType::fields).empty()) return DType::Void();
  return DType::Handle();
}

NodeId ExprFactory::op(std::string_view name) {
  const StringId key = builder_->string(name);
  const auto [found, is_new] = ops_.try_emplace(static_cast<std::uint32_t>(key));
  if (is_new) found->second = builder_->make(Kind::Op, {key});
  return found->second;
}

void ExprFactory::adopt_ops(const std::map<std::string, NodeId, std::less<>>& ops) {
  for (const auto& [name, node] : ops) {
    ops_.insert_or_assign(static_cast<std::uint32_t>(builder_->string(name)), node);
  }
}

NodeId ExprFactory::global_var(std::string_view name) {
  const StringId key = builder_->string(name);
  const auto [found, is_new] = global_vars_.try_emplace(static_cast<std::uint32_t>(key));
  if (is_new) {
    found->second =
        builder_->make(Kind::GlobalVar, {key, NodeId::none, NodeId::none, NodeId::none});
  }
  return found->second;
}

}  // namespace mlf::tir::text
