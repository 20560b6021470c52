#include "tir/text/losses.h"

#include <algorithm>
#include <optional>

#include "mlf/tir/visit.h"
#include "support/lookup.h"
#include "tir/array_uses.h"

namespace mlf::tir::text {

// TVM shares objects of a metadata section, so all mentions of one are one node.
NodeId MissingObjects::mention(std::string_view type_key, std::int64_t index,
                               std::string_view reference, std::string_view where) {
  losses_.add(LossCode::attr_object, where, reference);
  const auto [entry, is_new] = objects_.try_emplace({std::string(type_key), index});
  if (is_new) {
    const NodeId node = builder_.make(Kind::MissingObject, {builder_.string(type_key), index});
    entry->second = {node, std::string(reference)};
  }
  return entry->second.node;
}

void MissingObjects::was_found(NodeId missing) {
  const auto is_it = [&](const auto& entry) { return entry.second.node == missing; };
  const auto found = std::ranges::find_if(objects_, is_it);
  if (found != objects_.end()) losses_.withdraw(LossCode::attr_object, found->second.reference);
}

namespace {

using Replacements = LostConstants::Replacements;

/// Replaces nodes wherever a module refers to them. Spans and source ranges stay with their nodes.
/// One pass over all nodes: makes a shared list anew for each field, which does not change the
/// module's meaning.
void replace_nodes(Builder& builder, const Replacements& replacements) {
  if (replacements.empty()) return;
  const auto of = [&](Node part) {
    return support::value_at(replacements, index(part.id())).value_or(part.id());
  };
  // Nodes made meanwhile refer to no old node.
  const std::uint32_t size = builder.size();
  for (std::uint32_t id = 1; id < size; ++id) {
    const Node node = builder.node(static_cast<NodeId>(id));
    const FieldInfo* const first = node.info().fields.data();
    // Most nodes refer to no replaced node and stay unchanged.
    std::vector<std::uint8_t> changed;
    for_each_child(node, [&](Node child, const FieldInfo& field) {
      const auto at = static_cast<std::uint8_t>(&field - first);
      const bool is_known = !changed.empty() && changed.back() == at;
      if (!is_known && replacements.contains(index(child.id()))) changed.push_back(at);
    });
    for (const std::uint8_t at : changed) {
      builder.set(node.id(), at, copied_field(builder, node, at, of));
    }
  }
}

// The text's facts about the place: a reader with the archive finds the data by them.
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

// Keeps the source for `recovered` in the document.
NodeId LostConstants::make(DType dtype, std::span<const std::int64_t> shape,
                           const FoundConstant& found) {
  const BytesId data = builder_.bytes({found.data.begin(), found.data.end()});
  const NodeId array = builder_.make(Kind::NDArray, {dtype, builder_.integers(shape), data});
  found_.push_back({array, found.source});
  return array;
}

// An undefined constant is one that TVM keeps elsewhere: a lost one has everything except its
// bytes.
NodeId LostConstants::lose(DType dtype, std::span<const std::int64_t> shape,
                           std::string_view name) {
  losses_.add(LossCode::constant_data, name);
  return builder_.make(Kind::NDArray, {dtype, builder_.integers(shape), BytesId::none});
}

// Without a source of constants, as for a text alone, every constant is a loss.
NodeId LostConstants::find(ConstantQuery query) {
  query.function = losses_.function();
  const auto found = finder_ ? finder_(query) : std::nullopt;
  return found ? make(*query.dtype, *query.shape, *found)
               : lose(*query.dtype, *query.shape, query.name);
}

// Not from TVM: an NDArray has numbers as its shape.
NodeId LostConstants::find(std::string_view name, DType dtype, const std::vector<NodeId>& extents) {
  if (const auto shape = constant_shape(builder_, extents)) {
    return find({.function = {}, .name = name, .dtype = dtype, .shape = *shape, .elements = {}});
  }
  losses_.add(LossCode::constant_data, name);
  return NodeId::none;
}

// Asks for each place that uses a missing array: its name or pool offset differs between places,
// and so do the known facts.
LostConstants::Candidates LostConstants::candidates(NodeId root) const {
  Candidates candidates;
  if (!finder_) return candidates;
  for (const ArrayUse& use : array_uses(builder_.node(root))) {
    if (!use.array.is(Kind::MissingObject)) continue;
    auto found = finder_(query_of(use));
    if (found) candidates[index(use.array.id())].push_back(std::move(*found));
  }
  return candidates;
}

// Runs after the whole text was read, because attributes and pools state more than the first
// mention.
void LostConstants::find_missing(NodeId root, MissingObjects& missing) {
  if (missing.empty()) return;
  Replacements replacements;
  for (const auto& [object, found] : candidates(root)) {
    const FoundConstant* const one = agreed(found);
    if (one == nullptr) continue;
    replacements.emplace(object, make(one->dtype, one->shape, *one));
    missing.was_found(static_cast<NodeId>(object));
    // Generated C has the data of an array, but not its shape.
    if (one->is_flat) losses_.add(LossCode::buffer_shape);
  }
  lose_allocated(root, missing, replacements);
  replace_nodes(builder_, replacements);
}

// A statement states the dtype and extents of its constant: only the data of a missing one is
// unknown.
void LostConstants::lose_allocated(NodeId root, MissingObjects& missing,
                                   Replacements& replacements) {
  std::map<std::uint32_t, const ArrayUse*> stated;  // null if places disagree
  const std::vector<ArrayUse> uses = array_uses(builder_.node(root));
  for (const ArrayUse& use : uses) {
    if (!use.array.is(Kind::MissingObject)) continue;
    const bool is_stated = use.site == ConstantSite::statement && use.shape;
    const auto [entry, is_new] =
        stated.try_emplace(index(use.array.id()), is_stated ? &use : nullptr);
    const ArrayUse* const other = entry->second;
    if (is_new || other == nullptr) continue;
    if (!is_stated || other->dtype != use.dtype || other->shape != use.shape)
      entry->second = nullptr;
  }
  for (const auto& [object, use] : stated) {
    if (use == nullptr || replacements.contains(object)) continue;
    losses_.enter(use->function);
    replacements.emplace(object, lose(*use->dtype, *use->shape, use->name));
    missing.was_found(static_cast<NodeId>(object));
  }
  losses_.enter({});
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
