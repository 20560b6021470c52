#include "tir/text/expr_factory.h"

#include <limits>
#include <string>
#include <variant>

#include "support/error.h"
#include "tir/node_queries.h"
#include "tir/text/op_table.h"
#include "tir/tvm_features.h"

namespace mlf::tir::text {
namespace {

// Relies on the order of rows in nodes.def: comparisons, And, Or.
bool gives_bool(Kind kind) {
  return kind >= Kind::EQ && kind <= Kind::Or;
}

std::int64_t constant(Node node) {
  return node.integer(f::IntImm::value);
}

// std::visit over one lambda for each form of a value.
template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

// Readers of targets limit how deep lists nest.
NodeId make_value(ExprFactory& make, const TargetValue& value) {
  return std::visit(Overloaded{
                        [&](bool flag) { return make.boolean(flag ? 1 : 0); },
                        [&](std::int64_t number) { return make.integer(number); },
                        [&](const std::string& text) { return make.string(text); },
                        [&](const JsonText& json) { return make.string(json.text); },
                        [&](const std::vector<TargetValue>& list) {
                          std::vector<NodeId> nodes;
                          for (const auto& element : list)
                            nodes.push_back(make_value(make, element));
                          return make.builder().make(Kind::Array, {make.builder().list(nodes)});
                        },
                    },
                    value.value);
}

// TVM registers features and the kind's defaults and does not print them: they stay undefined.
NodeId make_one(ExprFactory& make, const mlf::Target& target, NodeId host) {
  Builder& builder = make.builder();
  const NodeId kind = builder.make(Kind::TargetKind, {builder.string(target.kind), kAbsentInteger,
                                                      kAbsentInteger, ListId::none});
  std::vector<NodeId> keys;
  for (const std::string& key : target.keys) keys.push_back(make.string(key));
  std::vector<NamedNode> attrs;
  for (const TargetAttr& attr : target.attrs) {
    attrs.push_back({builder.string(attr.name), make_value(make, attr.value)});
  }
  return builder.make(Kind::Target, {kind, builder.string(target.tag), builder.list(keys),
                                     builder.map(attrs), NodeId::none, host});
}

}  // namespace

std::optional<std::int16_t> lanes_of(Node lanes) {
  const auto is_vscale = [](Node expr) { return is_call_of(expr, "tir.vscale"); };
  if (is_vscale(lanes)) return std::int16_t{-1};
  if (lanes.is(Kind::Mul)) {
    const Node a = lanes[f::Mul::a];
    const Node b = lanes[f::Mul::b];
    if (is_vscale(a) == is_vscale(b)) return std::nullopt;
    const Node factor = is_vscale(a) ? b : a;
    const auto count = factor.is(Kind::IntImm) ? lanes_of(factor) : std::nullopt;
    return count ? std::optional(static_cast<std::int16_t>(-*count)) : std::nullopt;
  }
  const auto count = int_imm_of(lanes);
  if (!count || *count < 1 || *count > std::numeric_limits<std::int16_t>::max()) {
    return std::nullopt;
  }
  return static_cast<std::int16_t>(*count);
}

// kAllocAlignment of include/tvm/runtime/device_api.h.
std::int64_t default_alignment(std::uint8_t tvm_minor_version) {
  return has(tvm_minor_version, TvmFeature::aligns_to_128) ? 128 : 64;
}

// tir::DefaultIndexType of include/tvm/tir/buffer.h.
DType default_index_dtype(std::uint8_t tvm_minor_version) {
  return DType::Int(has(tvm_minor_version, TvmFeature::long_default_index) ? 64 : 32);
}

// TVM counts elements in an int32 and treats larger numbers as unknown. For less than a byte, the
// halved alignment is 0, which means the default.
std::int64_t allocation_alignment(std::int64_t most, DType dtype,
                                  std::span<const std::int64_t> extents) {
  std::int64_t elements = 1;
  for (const std::int64_t extent : extents) {
    if (extent < 0 || extent > INT32_MAX) return most;
    elements *= extent;
    if (elements > INT32_MAX) return most;
  }
  const std::int64_t bytes = elements * dtype.bits * dtype.lanes / 8;
  if (bytes <= 0) return most;
  std::int64_t alignment = most;
  while (alignment > bytes) alignment /= 2;
  return alignment;
}

// TVM's operators match dtypes before they make a node, so a printed node's operands agree; only
// lanes may differ, if one side is to be broadcast.
NodeId ExprFactory::binary(Kind kind, NodeId a, NodeId b) {
  const DType left = dtype_of(a);
  const DType element = gives_bool(kind) ? DType::Bool() : left;
  return builder_->make(kind, {element.as_wide_as(left.is_scalar() ? dtype_of(b) : left), a, b});
}

// DType's lanes are 16 bits wide, in TVM as well.
DType ExprFactory::loaded_dtype(NodeId buffer, std::span<const NodeId> indices) const {
  if (!is_loadable(buffer, indices)) {
    throw support::Error(ErrorKind::invalid_input, "a load of 0 or of more than 32767 lanes");
  }
  const auto lanes = static_cast<std::int16_t>(loaded_lanes(buffer, indices));
  return builder_->node(buffer).dtype(f::Buffer::dtype).with_lanes(lanes);
}

// For texts that do not print the dtype of a call: the table's rule; for an operator that it does
// not know, the first argument's dtype, which is nearly always right.
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

NodeId ExprFactory::buffer(const BufferSpec& spec) {
  // TVM's constructor makes a zero with the shape's dtype, so offsets and indices agree.
  NodeId elem_offset = spec.elem_offset;
  if (elem_offset == NodeId::none) {
    elem_offset = int_imm(spec.shape.empty() ? spec.index_dtype : dtype_of(spec.shape.front()), 0);
  }
  return builder_->make(
      Kind::Buffer,
      {spec.data, spec.dtype, builder_->list(spec.shape), builder_->list(spec.strides),
       builder_->list(spec.axis_separators), elem_offset, builder_->string(spec.name),
       spec.data_alignment, spec.offset_factor, spec.type});
}

// The Block describes the block, the BlockRealize the values of its variables; texts print the two
// as one.
NodeId ExprFactory::block(const BlockDraft& draft, NodeId body) {
  const NodeId block = builder_->make(
      Kind::Block,
      {builder_->list(draft.iter_vars), builder_->list(draft.reads), builder_->list(draft.writes),
       builder_->string(draft.name), body, draft.init, builder_->list(draft.alloc_buffers),
       builder_->list(draft.match_buffers), builder_->map(draft.annotations)});
  if (draft.realize == BlockDraft::Realize::no) return block;
  const NodeId predicate = draft.predicate != NodeId::none ? draft.predicate : boolean(1);
  return builder_->make(Kind::BlockRealize, {builder_->list(draft.iter_values), predicate, block});
}

// In `2 + x` the number has the dtype of x; as the beginning of a range, its own.
bool ExprFactory::is_spelled_alike(NodeId a, NodeId b) const {
  const Node left = builder_->node(a);
  const Node right = builder_->node(b);
  if (left.is(Kind::IntImm) && right.is(Kind::IntImm)) return constant(left) == constant(right);
  return same_expr(a, b);
}

// Texts print loops as `begin, end`, TVM stores `min, extent`. Recognises the printed form of begin
// + extent; otherwise computes the difference.
NodeId ExprFactory::extent(NodeId begin, NodeId end, std::string_view where) {
  const Node first = builder_->node(begin);
  const Node last = builder_->node(end);
  if (is_int_imm(first, 0)) return end;
  if (first.is(Kind::IntImm) && last.is(Kind::IntImm)) {
    // As in arithmetic of TVM, the result has the wider of two dtypes.
    const DType dtype = first.dtype().bits > last.dtype().bits ? first.dtype() : last.dtype();
    std::int64_t difference = 0;
    const bool is_number = !__builtin_sub_overflow(constant(last), constant(first), &difference);
    if (is_number && int_imm_holds(dtype, difference)) return int_imm(dtype, difference);
  }
  if (last.is(Kind::Add) && is_spelled_alike(last[f::Add::a].id(), begin)) {
    return last[f::Add::b].id();
  }
  if (same_expr(begin, end)) return int_imm(last.dtype(), 0);
  losses_->add(LossCode::loop_extent, where);
  return binary(Kind::Sub, end, begin);
}

NodeId ExprFactory::placeholder(std::string_view name, DType dtype, std::span<const NodeId> shape) {
  const ListId extents = builder_->list(shape);
  const NodeId op =
      builder_->make(Kind::PlaceholderOp,
                     {builder_->string(name), builder_->string(""), NodeId::none, extents, dtype});
  return builder_->make(Kind::Tensor, {extents, dtype, op, std::int64_t{0}});
}

// Types have no identity in TVM; one node for each keeps modules small.
NodeId ExprFactory::prim_type(DType dtype) {
  const auto [found, is_new] = prim_types_.try_emplace(dtype.packed());
  if (is_new) found->second = builder_->make(Kind::PrimType, {dtype});
  return found->second;
}

// Like GetRuntimeDataType of TVM's src/tir/op/op.cc: pointers are handles, the empty tuple is void.
DType ExprFactory::dtype_of_type(NodeId type) const {
  const Node node = builder_->node(type);
  if (node.is(Kind::PrimType)) return node.dtype(std::uint8_t{f::PrimType::dtype});
  if (node.is(Kind::TupleType) && node.list(f::TupleType::fields).empty()) return DType::Void();
  return DType::Handle();
}

// Only the name of these is printed.
NodeId ExprFactory::shared(NodeByName& known, Kind kind, std::string_view name) {
  const StringId key = builder_->string(name);
  const auto [found, is_new] = known.try_emplace(static_cast<std::uint32_t>(key));
  if (is_new) found->second = builder_->make(kind, {key});
  return found->second;
}

// A module with two Op nodes of one name would differ from TVM's.
void ExprFactory::adopt_shared_nodes() {
  for (std::uint32_t id = 1; id < builder_->size(); ++id) {
    const Node node = builder_->node(static_cast<NodeId>(id));
    const auto key = [&](std::string_view name) {
      return static_cast<std::uint32_t>(builder_->string(std::string(name)));
    };
    if (node.is(Kind::Op)) ops_.insert_or_assign(key(node.text(f::Op::name)), node.id());
    if (!node.is(Kind::GlobalVar)) continue;
    global_vars_.try_emplace(key(node.text(f::GlobalVar::name_hint)), node.id());
  }
}

NodeId make_target(ExprFactory& make, const mlf::Target& target) {
  // The innermost host comes first: a Target is made after its host.
  std::vector<const mlf::Target*> around;
  for (const mlf::Target* at = &target; at != nullptr; at = at->host.get()) around.push_back(at);
  NodeId node = NodeId::none;
  for (auto at = around.rbegin(); at != around.rend(); ++at) node = make_one(make, **at, node);
  return node;
}

}  // namespace mlf::tir::text
