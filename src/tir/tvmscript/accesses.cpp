// What stands in brackets and behind dots: loads, regions, slices, parts of buffers.
#include <fmt/core.h>

#include <algorithm>

#include "tir/tvm_features.h"
#include "tir/tvmscript/expressions.h"

namespace mlf::tir::tvmscript {
namespace {

bool is_buffer_part(std::string_view word) {
  constexpr std::string_view kParts[] = {"data",  "elem_offset", "strides",
                                         "shape", "vload",       "vstore"};
  return std::ranges::find(kParts, word) != std::end(kParts);
}

}  // namespace

using text::SyntaxId;

void Expressions::lower_attribute(SyntaxId id) {
  Value& base = values_.back();
  const Value attribute{.kind = ValueKind::member, .syntax = id, .node = base.node};
  const std::string_view word = name(attribute);
  // Versions that do not reserve the prefix name buffers and variables so, too.
  const bool is_prefix = text(base) == c_.prefixes.tir && !is_buffer_part(word);
  if (base.kind == ValueKind::path || is_prefix) {
    base = {.kind = ValueKind::path, .syntax = id};
    return;
  }
  if (word == "data" && allocation(base) != nullptr) {
    c_.versions.observe(TvmFeature::allocation_is_buffer);
    base.syntax = id;
    return;
  }
  if (word == "numpy" && base.kind == ValueKind::node && is_array(base.node)) {
    base = attribute;
    return;
  }
  if (base.kind != ValueKind::node || !c_.node(base.node).is(Kind::Buffer)) {
    fail(attribute, fmt::format("only buffers have parts, and '{}' is {}", text(base),
                                base.kind == ValueKind::node ? "none" : to_string(base.kind)));
  }
  const Node buffer = c_.node(base.node);
  if (word == "data" || word == "elem_offset") {
    const NodeId part =
        word == "data" ? buffer[f::Buffer::data].id() : buffer[f::Buffer::elem_offset].id();
    base = {.kind = ValueKind::node, .syntax = id, .node = part};
  } else if (is_buffer_part(word)) {
    base = attribute;
  } else {
    fail(attribute, fmt::format("a buffer has no part '{}'", word));
  }
}

void Expressions::lower_subscript(SyntaxId id) {
  const std::uint32_t count = tree_[id].arity - 1;
  const Value base = values_[values_.size() - count - 1];
  Value access = take_items(count);
  access.syntax = id;
  values_.pop_back();
  switch (base.kind) {
    case ValueKind::node:
      access.kind = ValueKind::access;
      if (!c_.node(base.node).is(Kind::Tensor)) access.node = buffer(base);
      break;
    case ValueKind::path:
      if (const NodeId type = generic_type(base, access); type != NodeId::none) {
        return push_node(type, id);
      }
      access.kind = text(base) == "metadata" ? ValueKind::metadata_key : ValueKind::access;
      break;
    case ValueKind::metadata_key:
      return push_node(metadata_object(item(base, 0), item(access, 0)), id);
    case ValueKind::member:
      return push_node(member_element(base, item(access, 0)), id);
    default:
      fail_expected(base, "a buffer");
  }
  // `A[()]` is an access without indices.
  if (count == 1 && item(access, 0).kind == ValueKind::tuple) {
    const Value tuple = item(access, 0);
    access.first = tuple.first;
    access.count = tuple.count;
  }
  values_.push_back(access);
}

/// Whether a node is the data of a constant, which `.numpy()` hands on.
bool Expressions::is_array(NodeId node) const {
  if (node == NodeId::none) return false;
  return c_.node(node).is(Kind::NDArray) || c_.node(node).is(Kind::MissingObject);
}

Allocation* Expressions::allocation(const Value& value) {
  if (value.kind != ValueKind::node) return nullptr;
  const auto found = c_.allocations.find(index(value.node));
  return found == c_.allocations.end() ? nullptr : &found->second;
}

/// The buffer that v0.9 prints in place of the pointer of an allocation.
NodeId Expressions::allocated_buffer(NodeId pointer, Allocation& allocation) {
  if (allocation.buffer != NodeId::none) return allocation.buffer;
  c_.versions.observe(TvmFeature::allocation_is_buffer);
  c_.lose(LossCode::buffer_defaults, "buffers with defaults");
  c_.lose(LossCode::buffer_fields, "buffers of allocations");
  allocation.buffer = c_.make.buffer({.name = c_.node(pointer).text(f::Var::name),
                                      .data = pointer,
                                      .dtype = allocation.dtype,
                                      .shape = allocation.extents});
  c_.default_aligned.push_back(allocation.buffer);
  return allocation.buffer;
}

NodeId Expressions::metadata_object(const Value& key, const Value& index) {
  return c_.metadata.find(string(key), integer(index), c_.function());
}

NodeId Expressions::member_element(const Value& member, const Value& index) {
  const std::string_view word = name(member);
  if (word != "strides" && word != "shape") fail(member, fmt::format("'{}' is no list", word));
  const Node buffer = c_.node(member.node);
  const NodeList list = buffer.list(word == "shape" ? f::Buffer::shape : f::Buffer::strides);
  const auto position = static_cast<std::size_t>(integer(index));
  if (position >= list.size()) {
    fail(index, fmt::format("the buffer has only {} {}", list.size(),
                            word == "shape" ? "dimensions" : "strides"));
  }
  return list[position].id();
}

std::vector<NodeId> Expressions::indices(const Value& access) {
  std::vector<NodeId> nodes;
  nodes.reserve(access.count);
  for (std::size_t i = 0; i < access.count; ++i) {
    const Value& index = item(access, i);
    nodes.push_back(index.kind == ValueKind::slice ? ramp_of_slice(index) : expr(index));
  }
  return nodes;
}

/// `base:end` or `base:end:stride`, where end = base + lanes * stride.
NodeId Expressions::ramp_of_slice(const Value& slice) {
  const NodeId base = expr(item(slice, 0));
  const NodeId end = expr(item(slice, 1));
  const NodeId length = c_.make.extent(base, end, c_.function());
  const NodeId stride =
      slice.count > 2 ? expr(item(slice, 2)) : c_.make.int_imm(c_.make.dtype_of(base), 1);
  const Node step = c_.node(stride);
  if (!step.is(Kind::IntImm)) fail(item(slice, 2), "the stride of a slice is not constant");
  const std::int64_t by = step.integer(f::IntImm::value);
  NodeId count = length;
  if (const Node span = c_.node(length); span.is(Kind::IntImm)) {
    const std::int64_t elements = span.integer(f::IntImm::value);
    if (by == 0 || elements % by != 0) fail(slice, "the slice has no whole number of elements");
    count = c_.make.int32(elements / by);
  } else if (by != 1 && span.is(Kind::Mul)) {
    count = span[f::Mul::a].id();
  }
  if (!c_.make.lanes_of(count)) fail(slice, "the number of lanes of the slice is not constant");
  return c_.make.ramp(base, stride, count);
}

NodeId Expressions::range(const Value& value) {
  if (value.kind == ValueKind::slice) return range_to(item(value, 0), item(value, 1));
  if (value.kind == ValueKind::node && c_.node(value.node).is(Kind::Range)) return value.node;
  const NodeId at = expr(value);
  return c_.builder.make(Kind::Range, {at, c_.make.int_imm(c_.make.dtype_of(at).element(), 1)});
}

NodeId Expressions::range_to(const Value& first, const Value& last) {
  const NodeId begin = expr(first);
  const NodeId end = expr(last);
  return c_.builder.make(Kind::Range, {begin, c_.make.extent(begin, end, c_.function())});
}

std::vector<NodeId> Expressions::ranges(const Value& access) {
  std::vector<NodeId> nodes;
  for (std::size_t i = 0; i < access.count; ++i) nodes.push_back(range(item(access, i)));
  return nodes;
}

NodeId Expressions::region(const Value& value) {
  if (value.kind == ValueKind::access && value.node != NodeId::none) {
    const std::vector<NodeId> bounds = ranges(value);
    return c_.builder.make(Kind::BufferRegion, {value.node, c_.builder.list(bounds)});
  }
  const NodeId whole = buffer(value);
  std::vector<NodeId> bounds;
  std::vector<NodeId> shape;
  for (const Node extent : c_.node(whole).list(f::Buffer::shape)) shape.push_back(extent.id());
  for (const NodeId extent : shape) {
    const NodeId zero = c_.make.int_imm(c_.make.dtype_of(extent), 0);
    bounds.push_back(c_.builder.make(Kind::Range, {zero, extent}));
  }
  return c_.builder.make(Kind::BufferRegion, {whole, c_.builder.list(bounds)});
}

/// A te.Tensor is printed as nothing but its name.
NodeId Expressions::producer(const Value& access) {
  const std::string_view path = text(access);
  const std::string_view name = path.substr(0, path.find('['));
  if (const NodeId known = c_.names.find(name); known != NodeId::none) return known;
  c_.lose(LossCode::producer, name);
  Builder& b = c_.builder;
  const NodeId op = b.make(Kind::PlaceholderOp, {b.string(name), b.string(""), NodeId::none,
                                                 b.list({}), DType::Float(32)});
  const NodeId tensor = b.make(Kind::Tensor, {b.list({}), DType::Float(32), op, std::int64_t{0}});
  c_.names.bind(name, tensor);
  return tensor;
}

}  // namespace mlf::tir::tvmscript
