// Makes IR nodes like TVM's constructors: every reader of a text dialect uses this, so dtypes that
// a text does not print are the same in all of them.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mlf/target.h"
#include "mlf/tir/builder.h"
#include "tir/node_queries.h"
#include "tir/reader.h"

namespace mlf::tir::text {

/// The number of lanes that an expression states: a constant from 1 to 32767, or such a constant
/// times tir.vscale (negative, as in DType); nullopt for any other expression.
std::optional<std::int16_t> lanes_of(Node lanes);

/// A Buffer as a text declares it; omitted parts have TVM's defaults.
struct BufferSpec {
  std::string_view name;
  NodeId data = NodeId::none;
  DType dtype{};
  std::vector<NodeId> shape{};
  std::vector<NodeId> strides{};
  std::vector<NodeId> axis_separators{};
  NodeId elem_offset = NodeId::none;  ///< none: zero of the dtype of the first dimension
  std::int64_t data_alignment = 64;   ///< see default_alignment
  std::int64_t offset_factor = 1;
  DType index_dtype = DType::Int(32);  ///< see default_index_dtype
  BufferType type = BufferType::default_;
};

/// A Block and its BlockRealize as a text states them, while it is read.
struct BlockDraft {
  enum class Realize : std::uint8_t { yes, no };

  std::vector<NodeId> iter_vars;
  std::vector<NodeId> iter_values;
  std::vector<NodeId> reads;
  std::vector<NodeId> writes;
  std::vector<NodeId> alloc_buffers;
  std::vector<NodeId> match_buffers;
  std::vector<NamedNode> annotations;
  EntryNames annotation_names;
  std::string name;
  NodeId predicate = NodeId::none;  ///< none: true
  NodeId init = NodeId::none;
  Realize realize = Realize::yes;
};

/// TVM's kAllocAlignment, the alignment of a buffer that states none: 128 up to v0.9, then 64.
std::int64_t default_alignment(std::uint8_t tvm_minor_version);

/// The dtype of the zero that is the elem_offset of a buffer without dimensions: int64 since v0.16.
DType default_index_dtype(std::uint8_t tvm_minor_version);

/// The alignment of an Allocate of constant `extents` in bytes, if `most` is the default alignment:
/// halved until it is not more than the bytes of the allocation (GetTempAllocaAlignment of
/// src/tir/transforms/ir_utils.h).
std::int64_t allocation_alignment(std::int64_t most, DType dtype,
                                  std::span<const std::int64_t> extents);

/// Makes nodes in `builder`. Types, operators and global variables that are equal are one node.
class ExprFactory {
 public:
  ExprFactory(Builder& builder, LossLog& losses) : builder_(&builder), losses_(&losses) {}

  Builder& builder() { return *builder_; }
  LossLog& losses() { return *losses_; }
  /// The dtype of an existing expression. In texts, Ranges and references into a missing metadata
  /// section may also be arguments: these are handles, because they are not numbers.
  DType dtype_of(NodeId expr) const {
    const Node node = builder_->node(expr);
    return is_expr(node.category()) ? node.dtype() : DType::Handle();
  }

  // --- Constants -------------------------------------------------------------------------------
  NodeId int_imm(DType dtype, std::int64_t value) {
    return builder_->make(Kind::IntImm, {dtype, value});
  }
  NodeId int32(std::int64_t value) { return int_imm(DType::Int(32), value); }
  /// An int32, or an int64 if the value does not fit.
  NodeId integer(std::int64_t value) {
    return int_imm(DType::Int(std::in_range<std::int32_t>(value) ? 32 : 64), value);
  }
  NodeId boolean(std::int64_t value) { return int_imm(DType::Bool(), value); }
  NodeId float_imm(DType dtype, double value) {
    return builder_->make(Kind::FloatImm, {dtype, value});
  }
  NodeId string_imm(std::string_view value) {
    return builder_->make(Kind::StringImm, {DType::Handle(), builder_->string(value)});
  }
  NodeId string(std::string_view value) {
    return builder_->make(Kind::String, {builder_->string(value)});
  }  ///< runtime.String
  /// The annotations of a statement that has none.
  ListId no_entries() { return builder_->map(std::span<const NamedNode>()); }

  // --- Expressions -----------------------------------------------------------------------------
  /// Any of the binary kinds: arithmetic has the operands' element type, comparison and logic are
  /// boolean; both take the lanes of the operand that is a vector.
  NodeId binary(Kind kind, NodeId a, NodeId b);
  NodeId logical_not(NodeId a) {
    return builder_->make(Kind::Not, {DType::Bool().as_wide_as(dtype_of(a)), a});
  }
  NodeId cast(DType dtype, NodeId value) { return builder_->make(Kind::Cast, {dtype, value}); }
  NodeId select(NodeId condition, NodeId true_value, NodeId false_value) {
    return builder_->make(Kind::Select, {dtype_of(true_value), condition, true_value, false_value});
  }
  /// `lanes` is one that lanes_of accepts.
  NodeId ramp(NodeId base, NodeId stride, NodeId lanes) {
    return builder_->make(Kind::Ramp, {dtype_of(base).with_lanes(*lanes_of(builder_->node(lanes))),
                                       base, stride, lanes});
  }
  NodeId broadcast(NodeId value, NodeId lanes) {
    return builder_->make(
        Kind::Broadcast,
        {dtype_of(value).with_lanes(*lanes_of(builder_->node(lanes))), value, lanes});
  }
  NodeId let(NodeId var, NodeId value, NodeId body) {
    return builder_->make(Kind::Let, {dtype_of(body), var, value, body});
  }
  NodeId shuffle(std::span<const NodeId> vectors, std::span<const NodeId> indices) {
    const DType element = vectors.empty() ? DType::Void() : dtype_of(vectors.front());
    const auto lanes = static_cast<std::int16_t>(indices.size());
    return builder_->make(Kind::Shuffle, {element.with_lanes(lanes), builder_->list(vectors),
                                          builder_->list(indices)});
  }
  /// A load of the buffer's element type with as many lanes as its last index.
  NodeId buffer_load(NodeId buffer, std::span<const NodeId> indices,
                     NodeId predicate = NodeId::none) {
    return builder_->make(Kind::BufferLoad, {loaded_dtype(buffer, indices), buffer,
                                             builder_->list(indices), predicate});
  }
  /// Whether such a load has as many lanes as a vector can have: an index of void has none.
  bool is_loadable(NodeId buffer, std::span<const NodeId> indices) const {
    const std::int32_t lanes = std::abs(loaded_lanes(buffer, indices));
    return lanes > 0 && lanes <= std::numeric_limits<std::int16_t>::max();
  }
  /// The dtype of such a load. Throws if it would have other lanes than a vector can have.
  DType loaded_dtype(NodeId buffer, std::span<const NodeId> indices) const;
  /// A call whose dtype the source states.
  NodeId call(NodeId callee, std::span<const NodeId> args, DType dtype) {
    return builder_->make(Kind::Call, {dtype, callee, builder_->list(args)});
  }
  /// A call of an operator whose dtype the source does not state: op_table.def infers it, and it is
  /// a loss at `where`, the name of the function.
  NodeId call_inferred(std::string_view op_name, std::span<const NodeId> args,
                       std::string_view where);

  // --- Variables and buffers -------------------------------------------------------------------
  /// A new variable; its dtype follows from the type.
  NodeId var(std::string_view name, NodeId type, Kind kind = Kind::Var) {
    return builder_->make(kind, {dtype_of_type(type), builder_->string(name), type});
  }
  NodeId buffer(const BufferSpec& spec);
  /// The block around its body, and the BlockRealize around that.
  NodeId block(const BlockDraft& draft, NodeId body);
  /// A te.Tensor of which a text has nothing but this.
  NodeId placeholder(std::string_view name, DType dtype, std::span<const NodeId> shape);
  /// An Allocate that is under no condition.
  NodeId allocation(NodeId var, DType dtype, std::span<const NodeId> extents, NodeId body) {
    return builder_->make(Kind::Allocate,
                          {var, dtype, builder_->list(extents), boolean(1), body, no_entries()});
  }
  /// Range(begin, end - begin); see `extent` for `where`.
  NodeId range(NodeId begin, NodeId end, std::string_view where) {
    return builder_->make(Kind::Range, {begin, extent(begin, end, where)});
  }
  /// Range(0, extent).
  NodeId range_to(NodeId extent) {
    return builder_->make(Kind::Range, {int_imm(dtype_of(extent), 0), extent});
  }
  /// The range of one element.
  NodeId range_at(NodeId index) {
    return builder_->make(Kind::Range, {index, int_imm(dtype_of(index).element(), 1)});
  }
  /// Returns end - begin, folded if both are constants, if begin is zero, and if end has the form
  /// `begin + extent`. A new `Sub` is a loss at `where`.
  NodeId extent(NodeId begin, NodeId end, std::string_view where = {});

  // --- Shared nodes ----------------------------------------------------------------------------
  NodeId prim_type(DType dtype);
  NodeId pointer_type(NodeId element_type, std::string_view storage_scope) {
    return builder_->make(Kind::PointerType, {element_type, builder_->string(storage_scope)});
  }
  /// A pointer to elements with this dtype.
  NodeId pointer_to(DType element, std::string_view storage_scope) {
    return pointer_type(prim_type(element), storage_scope);
  }
  NodeId tuple_type(std::span<const NodeId> fields) {
    return builder_->make(Kind::TupleType, {builder_->list(fields)});
  }
  NodeId void_type() { return tuple_type({}); }
  /// The dtype of a Var with this type.
  DType dtype_of_type(NodeId type) const;
  /// The operator with this full name ("tir.exp"). TVM has one Op of each name, and so does a
  /// module.
  NodeId op(std::string_view name) { return shared(ops_, Kind::Op, name); }
  /// Uses the operators and global variables that a metadata section has made so far.
  void adopt_shared_nodes();
  NodeId global_var(std::string_view name) { return shared(global_vars_, Kind::GlobalVar, name); }

  bool same_expr(NodeId a, NodeId b) const {
    return same_tree(builder_->node(a), builder_->node(b));
  }

 private:
  using NodeByName = std::unordered_map<std::uint32_t, NodeId>;  // by StringId

  NodeId shared(NodeByName& known, Kind kind, std::string_view name);
  bool is_spelled_alike(NodeId a, NodeId b) const;
  // BufferLoad's rule: the lanes of the last index times those of the buffer's elements.
  std::int32_t loaded_lanes(NodeId buffer, std::span<const NodeId> indices) const {
    const std::int32_t lanes = builder_->node(buffer).dtype(f::Buffer::dtype).lanes;
    return indices.empty() ? lanes : lanes * dtype_of(indices.back()).lanes;
  }

  Builder* builder_;
  LossLog* losses_;
  NodeByName ops_;
  NodeByName global_vars_;
  std::unordered_map<std::uint32_t, NodeId> prim_types_;
  std::vector<DType> arg_dtypes_;  // scratch of call_inferred
};

/// A Target with its hosts. Facts that no text states (features, the kind's default keys and device
/// type) stay undefined.
NodeId make_target(ExprFactory& make, const mlf::Target& target);

}  // namespace mlf::tir::text
