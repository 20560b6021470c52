// Copies fields of nodes: a module with some of its nodes replaced.
//
//     mlf::tir::Builder builder;
//     const auto same = [](mlf::tir::Node node) { return node.id(); };
//     const mlf::tir::FieldValue params =
//         mlf::tir::copied_field(builder, prim_func, mlf::tir::f::PrimFunc::params, same);
//
// Threads: a Builder is for one thread at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "mlf/tir/builder.h"
#include "mlf/tir/module.h"

namespace mlf::tir {

/// The parts of `copied_field`: a list, a map whose keys are names, a map whose keys are nodes.
template <class Of>
ListId copied(Builder& builder, const NodeList& list, Of&& of) {
  if (!list.defined()) return ListId::none;
  std::vector<NodeId> ids;
  for (const Node node : list) ids.push_back(of(node));
  return builder.list(ids);
}

template <class Of>
ListId copied_names(Builder& builder, const NodeMap& map, Of&& of) {
  if (!map.defined()) return ListId::none;
  std::vector<NamedNode> entries;
  for (std::size_t i = 0; i < map.size(); ++i) {
    entries.push_back({builder.string(map.name(i)), of(map.value(i))});
  }
  return builder.map(entries);
}

template <class Of>
ListId copied_pairs(Builder& builder, const NodeMap& map, Of&& of) {
  if (!map.defined()) return ListId::none;
  std::vector<NodePair> entries;
  for (std::size_t i = 0; i < map.size(); ++i) {
    const NodeId key = of(map.key(i));
    entries.push_back({key, of(map.value(i))});
  }
  return builder.map(entries);
}

/// The value of a field for another node: `of(node)` in the place of each node that it refers to.
/// Undefined fields stay undefined.
template <class Of>
FieldValue copied_field(Builder& builder, Node node, std::uint8_t field, Of&& of) {
  switch (node.info().fields[field].type) {
    case FieldType::node:
      return of(node.node(field));
    case FieldType::list:
      return copied(builder, node.list(field), of);
    case FieldType::string_map:
      return copied_names(builder, node.map(field), of);
    case FieldType::node_map:
      return copied_pairs(builder, node.map(field), of);
    case FieldType::string:
      return node.has_text(field) ? builder.string(node.text(field)) : StringId::none;
    case FieldType::real:
      return node.real(field);
    case FieldType::dtype:
      return node.dtype(field);
    case FieldType::integers:
      return builder.integers(node.integers(field));
    case FieldType::bytes: {
      const auto data = node.bytes(field);
      if (!data) return BytesId::none;
      return builder.bytes(std::vector<std::byte>(data->begin(), data->end()));
    }
    default:
      return node.integer(field);
  }
}

}  // namespace mlf::tir
