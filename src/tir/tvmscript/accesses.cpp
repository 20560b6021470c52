#include "tir/tvmscript/accesses.h"

#include <fmt/core.h>

#include <algorithm>

#include "tir/tvm_features.h"
#include "tir/tvmscript/conversions.h"
#include "tir/tvmscript/types.h"

namespace mlf::tir::tvmscript {
namespace {

using text::SyntaxId;

/// The attributes of tvm.tir.Buffer that the printer writes.
bool is_buffer_part(std::string_view word) {
  constexpr std::string_view kParts[] = {"data",  "elem_offset", "strides",
                                         "shape", "vload",       "vstore"};
  return std::ranges::find(kParts, word) != std::end(kParts);
}

Allocation* allocation(Context& c, const Value& value) {
  if (value.kind != ValueKind::node) return nullptr;
  const auto found = c.allocations.find(index(value.node));
  return found == c.allocations.end() ? nullptr : &found->second;
}

/// The buffer that v0.9 prints in place of the pointer of an allocation.
NodeId allocated_buffer(Context& c, NodeId pointer, Allocation& allocation) {
  if (allocation.buffer != NodeId::none) return allocation.buffer;
  c.versions.observe(TvmFeature::allocation_is_buffer);
  c.lose(LossCode::buffer_defaults);
  c.lose(LossCode::buffer_fields, c.node(pointer).text(f::Var::name));
  allocation.buffer = c.make.buffer({.name = c.node(pointer).text(f::Var::name),
                                     .data = pointer,
                                     .dtype = allocation.dtype,
                                     .shape = allocation.extents});
  return allocation.buffer;
}

NodeId metadata_object(Context& c, const Value& key, const Value& index) {
  return c.metadata.find(as_string(c, key), as_integer(c, index), c.function());
}

/// `A.strides[0]`: since v0.12 a stride that nothing else defines is printed through its buffer.
NodeId member_element(Context& c, const Value& member, const Value& index) {
  const std::string_view word = c.values.name(member);
  if (word != "strides" && word != "shape") {
    c.values.fail(member, fmt::format("'{}' is not a list", word));
  }
  const Node buffer = c.node(member.node);
  const NodeList list = buffer.list(word == "shape" ? f::Buffer::shape : f::Buffer::strides);
  const auto position = static_cast<std::size_t>(as_integer(c, index));
  if (position >= list.size()) {
    c.values.fail(index, fmt::format("the buffer has only {} {}", list.size(),
                                     word == "shape" ? "dimensions" : "strides"));
  }
  return list[position].id();
}

/// `base:end` or `base:end:stride`, where end = base + lanes * stride.
NodeId ramp_of_slice(Context& c, const Value& slice) {
  const NodeId base = as_expr(c, c.values.item(slice, 0));
  const NodeId end = as_expr(c, c.values.item(slice, 1));
  const NodeId length = c.make.extent(base, end, c.function());
  const NodeId stride = slice.count > 2 ? as_expr(c, c.values.item(slice, 2))
                                        : c.make.int_imm(c.make.dtype_of(base), 1);
  const Node step = c.node(stride);
  if (!step.is(Kind::IntImm)) {
    c.values.fail(c.values.item(slice, 2), "the stride of a slice is not constant");
  }
  const std::int64_t by = step.integer(f::IntImm::value);
  NodeId count = length;
  // Constant bounds give the number of lanes; since v0.16 it may be a multiple of vscale.
  if (const Node span = c.node(length); span.is(Kind::IntImm)) {
    const std::int64_t elements = span.integer(f::IntImm::value);
    if (by == 0 || elements % by != 0) {
      c.values.fail(slice, "the slice has no whole number of elements");
    }
    count = c.make.int32(elements / by);
  } else if (by != 1 && span.is(Kind::Mul)) {
    count = span[f::Mul::a].id();
  }
  if (!c.make.lanes_of(count)) {
    c.values.fail(slice, "the number of lanes of the slice is not constant");
  }
  return c.make.ramp(base, stride, count);
}

}  // namespace

/// The parts of buffers that are nodes become these; methods and lists wait for what follows. A
/// path such as `T.exp` stays text until the call or the type that it belongs to.
void lower_attribute(Context& c, SyntaxId id) {
  Value& base = c.values.top();
  const Value attribute{.kind = ValueKind::member, .syntax = id, .node = base.node};
  const std::string_view word = c.values.name(attribute);
  // Versions that do not reserve the prefix name buffers and variables so, too.
  const bool is_prefix = c.values.text(base) == c.prefixes.tir && !is_buffer_part(word);
  if (base.kind == ValueKind::path || is_prefix) {
    base = {.kind = ValueKind::path, .syntax = id};
    return;
  }
  // v0.9 names a buffer here: its pointer is the variable that the name is bound to.
  if (word == "data" && allocation(c, base) != nullptr) {
    c.versions.observe(TvmFeature::allocation_is_buffer);
    base.syntax = id;
    return;
  }
  // `metadata["runtime.NDArray"][0].numpy()`: mlf writes long constants so.
  if (word == "numpy" && base.kind == ValueKind::node && is_array(c, base.node)) {
    base = attribute;
    return;
  }
  if (base.kind != ValueKind::node || !c.node(base.node).is(Kind::Buffer)) {
    c.values.fail(attribute,
                  fmt::format("only buffers have parts, and '{}' is {}", c.values.text(base),
                              base.kind == ValueKind::node ? "none" : to_string(base.kind)));
  }
  const Node buffer = c.node(base.node);
  if (word == "data" || word == "elem_offset") {
    const NodeId part =
        word == "data" ? buffer[f::Buffer::data].id() : buffer[f::Buffer::elem_offset].id();
    base = {.kind = ValueKind::node, .syntax = id, .node = part};
  } else if (is_buffer_part(word)) {
    base = attribute;
  } else {
    c.values.fail(attribute, fmt::format("a buffer has no part '{}'", word));
  }
}

/// `A[…]` stays an access: whether it is a load or a region is the matter of its place.
void lower_subscript(Context& c, SyntaxId id) {
  const std::uint32_t count = c.values.syntax(id).arity - 1;
  const Value base = c.values.below_top(count);
  Value access = c.values.take_items(count);
  access.syntax = id;
  c.values.drop(1);
  switch (base.kind) {
    case ValueKind::node:
      access.kind = ValueKind::access;
      if (!c.node(base.node).is(Kind::Tensor)) access.node = as_buffer(c, base);
      break;
      // A type, the metadata, or a te.Tensor that was never bound.
    case ValueKind::path:
      if (const NodeId type = generic_type(c, base, access); type != NodeId::none) {
        return c.values.push(type, id);
      }
      access.kind = c.values.text(base) == "metadata" ? ValueKind::metadata_key : ValueKind::access;
      break;
    case ValueKind::metadata_key:
      return c.values.push(metadata_object(c, c.values.item(base, 0), c.values.item(access, 0)),
                           id);
    case ValueKind::member:
      return c.values.push(member_element(c, base, c.values.item(access, 0)), id);
    default:
      fail_expected(c, base, "a buffer");
  }
  // `A[()]` is an access without indices.
  if (count == 1 && c.values.item(access, 0).kind == ValueKind::tuple) {
    const Value tuple = c.values.item(access, 0);
    access.first = tuple.first;
    access.count = tuple.count;
  }
  c.values.push(access);
}

/// Whether a node is the data of a constant, which `.numpy()` hands on.
bool is_array(Context& c, NodeId node) {
  if (node == NodeId::none) return false;
  return c.node(node).is(Kind::NDArray) || c.node(node).is(Kind::MissingObject);
}

NodeId as_buffer(Context& c, const Value& value) {
  if (value.kind == ValueKind::path) {
    c.values.fail(value, fmt::format("'{}' is not defined", c.values.text(value)));
  }
  // Only v0.9 uses what an allocation defines as a buffer.
  if (Allocation* const known = allocation(c, value)) {
    return allocated_buffer(c, value.node, *known);
  }
  if (value.kind != ValueKind::node || !c.node(value.node).is(Kind::Buffer)) {
    fail_expected(c, value, "a buffer");
  }
  return value.node;
}

// --- Indices and regions -----------------------------------------------------------------------

/// Since v0.9 a Ramp with a constant stride is printed as a slice.
std::vector<NodeId> as_indices(Context& c, const Value& access) {
  std::vector<NodeId> nodes;
  nodes.reserve(access.count);
  for (std::size_t i = 0; i < access.count; ++i) {
    const Value& index = c.values.item(access, i);
    nodes.push_back(index.kind == ValueKind::slice ? ramp_of_slice(c, index) : as_expr(c, index));
  }
  return nodes;
}

/// A single index is a region of one element.
NodeId as_range(Context& c, const Value& value) {
  if (value.kind == ValueKind::slice) {
    return range_to(c, c.values.item(value, 0), c.values.item(value, 1));
  }
  if (value.kind == ValueKind::node && c.node(value.node).is(Kind::Range)) return value.node;
  const NodeId at = as_expr(c, value);
  return c.builder.make(Kind::Range, {at, c.make.int_imm(c.make.dtype_of(at).element(), 1)});
}

NodeId range_to(Context& c, const Value& first, const Value& last) {
  const NodeId begin = as_expr(c, first);
  const NodeId end = as_expr(c, last);
  return c.builder.make(Kind::Range, {begin, c.make.extent(begin, end, c.function())});
}

std::vector<NodeId> as_ranges(Context& c, const Value& access) {
  std::vector<NodeId> nodes;
  for (std::size_t i = 0; i < access.count; ++i) {
    nodes.push_back(as_range(c, c.values.item(access, i)));
  }
  return nodes;
}

NodeId as_region(Context& c, const Value& value) {
  if (value.kind == ValueKind::access && value.node != NodeId::none) {
    const std::vector<NodeId> bounds = as_ranges(c, value);
    return c.builder.make(Kind::BufferRegion, {value.node, c.builder.list(bounds)});
  }
  const NodeId whole = as_buffer(c, value);
  std::vector<NodeId> bounds;
  std::vector<NodeId> shape;
  for (const Node extent : c.node(whole).list(f::Buffer::shape)) shape.push_back(extent.id());
  for (const NodeId extent : shape) {
    const NodeId zero = c.make.int_imm(c.make.dtype_of(extent), 0);
    bounds.push_back(c.builder.make(Kind::Range, {zero, extent}));
  }
  return c.builder.make(Kind::BufferRegion, {whole, c.builder.list(bounds)});
}

/// A te.Tensor is printed as nothing but its name.
NodeId as_producer(Context& c, const Value& access) {
  const std::string_view path = c.values.text(access);
  const std::string_view name = path.substr(0, path.find('['));
  if (const NodeId known = c.names.find(name); known != NodeId::none) return known;
  c.lose(LossCode::producer, name);
  Builder& b = c.builder;
  const NodeId op = b.make(Kind::PlaceholderOp, {b.string(name), b.string(""), NodeId::none,
                                                 b.list({}), DType::Float(32)});
  const NodeId tensor = b.make(Kind::Tensor, {b.list({}), DType::Float(32), op, std::int64_t{0}});
  c.names.bind(name, tensor);
  return tensor;
}

}  // namespace mlf::tir::tvmscript
