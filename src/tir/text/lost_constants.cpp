#include "tir/text/lost_constants.h"

#include <fmt/core.h>

#include <algorithm>

#include "tir/text/replace_nodes.h"

namespace mlf::tir::text {
namespace {

ConstantQuery query_of(const ArrayUse& use) {
  ConstantQuery query{.site = use.site,
                      .function = use.function,
                      .name = use.name,
                      .dtype = use.dtype,
                      .pool_offset = use.pool_offset};
  if (use.shape) query.shape = *use.shape;
  return query;
}

}  // namespace

NodeId LostConstants::make(DType dtype, std::span<const std::int64_t> shape,
                           const FoundConstant& found) {
  const BytesId data = builder_.bytes({found.data.begin(), found.data.end()});
  const NodeId array = builder_.make(Kind::NDArray, {dtype, builder_.integers(shape), data});
  found_.push_back({array, found.source});
  return array;
}

NodeId LostConstants::find(ConstantQuery query, std::string_view detail) {
  query.function = losses_.function();
  const auto found = finder_ ? finder_(query) : std::nullopt;
  if (!found) {
    losses_.add(LossCode::constant_data, detail);
    return NodeId::none;
  }
  return make(*query.dtype, *query.shape, *found);
}

NodeId LostConstants::find(std::string_view name, DType dtype, const std::vector<NodeId>& extents) {
  if (const auto shape = constant_shape(builder_, extents)) {
    return find({.function = {}, .name = name, .dtype = dtype, .shape = *shape, .elements = {}},
                name);
  }
  losses_.add(LossCode::constant_data, name);
  return NodeId::none;
}

LostConstants::Candidates LostConstants::candidates(NodeId root) const {
  Candidates candidates;
  for (const ArrayUse& use : array_uses(builder_.node(root))) {
    if (!use.array.is(Kind::MissingObject)) continue;
    auto found = finder_(query_of(use));
    if (found) candidates[index(use.array.id())].push_back(std::move(*found));
  }
  return candidates;
}

void LostConstants::find_missing(NodeId root, MissingObjects& missing) {
  if (!finder_ || missing.empty()) return;
  Replacements replacements;
  for (const auto& [object, found] : candidates(root)) {
    const FoundConstant* const one = agreed(found);
    if (one == nullptr) continue;
    replacements.emplace(object, make(one->dtype, one->shape, *one));
    missing.was_found(static_cast<NodeId>(object));
    if (one->is_flat) losses_.add(LossCode::buffer_shape, "constants of generated C");
  }
  replace_nodes(builder_, replacements);
}

std::optional<std::vector<std::int64_t>> constant_shape(const Builder& builder,
                                                        const std::vector<NodeId>& extents) {
  std::vector<std::int64_t> shape;
  for (const NodeId node : extents) {
    const auto extent = constant_extent(builder.node(node));
    if (!extent) return std::nullopt;
    shape.push_back(*extent);
  }
  return shape;
}

}  // namespace mlf::tir::text
