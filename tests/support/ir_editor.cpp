#include "support/ir_editor.h"

#include <vector>

namespace mlf::test {
namespace {

using tir::Builder;
using tir::FieldType;
using tir::FieldValue;
using tir::ListId;
using tir::Module;
using tir::Node;
using tir::NodeId;

/// Field values with some of the ids in them replaced.
class FieldCopier {
 public:
  FieldCopier(Builder& builder, NodeId from, NodeId to) : builder_(builder), from_(from), to_(to) {}

  FieldValue copy(Node node, std::uint8_t field) const {
    switch (node.info().fields[field].type) {
      case FieldType::node:
        return map_id(node.node(field));
      case FieldType::list:
        return copy_list(node.list(field));
      case FieldType::string_map:
        return copy_names(node.map(field));
      case FieldType::node_map:
        return copy_pairs(node.map(field));
      default:
        return copy_scalar(node, field);
    }
  }

 private:
  NodeId map_id(Node node) const { return node.id() == from_ ? to_ : node.id(); }

  FieldValue copy_scalar(Node node, std::uint8_t field) const {
    switch (node.info().fields[field].type) {
      case FieldType::string:
        return node.has_text(field) ? builder_.string(node.text(field)) : tir::StringId::none;
      case FieldType::real:
        return node.real(field);
      case FieldType::dtype:
        return node.dtype(field);
      case FieldType::integers:
        return builder_.integers(node.integers(field));
      case FieldType::bytes: {
        const auto bytes = node.bytes(field);
        if (!bytes) return tir::BytesId::none;
        return builder_.bytes(std::vector<std::byte>(bytes->begin(), bytes->end()));
      }
      default:
        return node.integer(field);
    }
  }

  FieldValue copy_list(const tir::NodeList& list) const {
    if (!list.defined()) return ListId::none;
    std::vector<NodeId> ids;
    for (const Node element : list) ids.push_back(map_id(element));
    return builder_.list(ids);
  }

  FieldValue copy_names(const tir::NodeMap& map) const {
    if (!map.defined()) return ListId::none;
    std::vector<tir::NamedNode> entries;
    for (std::size_t i = 0; i < map.size(); ++i) {
      entries.push_back({builder_.string(map.name(i)), map_id(map.value(i))});
    }
    return builder_.map(entries);
  }

  FieldValue copy_pairs(const tir::NodeMap& map) const {
    if (!map.defined()) return ListId::none;
    std::vector<tir::NodePair> entries;
    for (std::size_t i = 0; i < map.size(); ++i) {
      entries.push_back({map_id(map.key(i)), map_id(map.value(i))});
    }
    return builder_.map(entries);
  }

  Builder& builder_;
  NodeId from_;
  NodeId to_;
};

std::vector<FieldValue> copied_fields(const FieldCopier& copier, Node node) {
  std::vector<FieldValue> fields;
  for (std::uint8_t i = 0; i < node.info().fields.size(); ++i) {
    fields.push_back(copier.copy(node, i));
  }
  return fields;
}

}  // namespace

FieldValue copied_field(Builder& builder, Node node, std::uint8_t field) {
  return FieldCopier(builder, NodeId::none, NodeId::none).copy(node, field);
}

Builder copied(const Module& original) {
  Builder builder;
  const FieldCopier copier(builder, NodeId::none, NodeId::none);
  for (std::uint32_t i = 1; i < original.size(); ++i) {
    const Node node = original.node(static_cast<NodeId>(i));
    builder.make(node.kind(), copied_fields(copier, node));
    if (const Node span = original.span(node.id())) builder.set_span(node.id(), span.id());
  }
  return builder;
}

NodeId add_twin(Builder& builder, const Module& original, NodeId id) {
  const FieldCopier copier(builder, NodeId::none, NodeId::none);
  const Node node = original.node(id);
  return builder.make(node.kind(), copied_fields(copier, node));
}

void redirect(Builder& builder, const Module& original, NodeId from, NodeId to) {
  const FieldCopier copier(builder, from, to);
  for (std::uint32_t i = 1; i < original.size(); ++i) {
    const Node node = original.node(static_cast<NodeId>(i));
    for (std::uint8_t field = 0; field < node.info().fields.size(); ++field) {
      builder.set(node.id(), field, copier.copy(node, field));
    }
  }
}

}  // namespace mlf::test
