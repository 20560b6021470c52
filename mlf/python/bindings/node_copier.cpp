#include "documents.h"
#include "mlf/tir/visit.h"

namespace mlf::python {

using tir::FieldType;
using tir::FieldValue;
using tir::Node;
using tir::NodeId;

NodeId NodeCopier::copy(NodeId id) {
  if (id == NodeId::none) return id;
  // What was copied before is not entered again: a module is a DAG, and a tree of it may be large.
  tir::walk_once(
      from_->node(id), [&](Node node) { return copied(node.id()) == NodeId::none; },
      [&](Node node, auto&& push) {
        const auto push_new = [&](Node part) {
          if (part && copied(part.id()) == NodeId::none) push(part);
        };
        tir::for_each_child(node, [&](Node child, const tir::FieldInfo&) { push_new(child); });
        push_new(from_->span(node.id()));
      },
      [&](Node node) { copy_one(node); });
  return copied(id);
}

void NodeCopier::copy_one(Node node) {
  std::vector<FieldValue> fields;
  for (std::uint8_t i = 0; i < node.info().fields.size(); ++i) fields.push_back(field(node, i));
  const NodeId made = to_->make(node.kind(), fields);
  copies_[index(node.id())] = made;
  if (const Node span = from_->span(node.id())) to_->set_span(made, reference(span));
  if (const auto range = from_->source_range(node.id())) to_->set_source_range(made, *range);
}

/// The same value for the builder. "Undefined" is id 0 of whatever the field refers to.
FieldValue NodeCopier::field(Node node, std::uint8_t i) {
  switch (node.info().fields[i].type) {
    case FieldType::node:
      return reference(node.node(i));
    case FieldType::list: {
      const tir::NodeList list = node.list(i);
      if (!list.defined()) return tir::ListId::none;
      std::vector<NodeId> ids;
      for (const Node element : list) ids.push_back(reference(element));
      return to_->list(ids);
    }
    case FieldType::string_map: {
      const tir::NodeMap map = node.map(i);
      if (!map.defined()) return tir::ListId::none;
      std::vector<tir::NamedNode> entries;
      for (std::size_t k = 0; k < map.size(); ++k) {
        entries.push_back({to_->string(map.name(k)), reference(map.value(k))});
      }
      return to_->map(entries);
    }
    case FieldType::node_map: {
      const tir::NodeMap map = node.map(i);
      if (!map.defined()) return tir::ListId::none;
      std::vector<tir::NodePair> entries;
      for (std::size_t k = 0; k < map.size(); ++k) {
        entries.push_back({reference(map.key(k)), reference(map.value(k))});
      }
      return to_->map(entries);
    }
    case FieldType::string:
      return node.has_text(i) ? to_->string(node.text(i)) : tir::StringId::none;
    case FieldType::integer:
    case FieldType::boolean:
    case FieldType::enumeration:
      return node.integer(i);
    case FieldType::real:
      return node.real(i);
    case FieldType::dtype:
      return node.dtype(i);
    case FieldType::integers:
      return to_->integers(node.integers(i));
    case FieldType::bytes: {
      const auto bytes = node.bytes(i);
      if (!bytes) return tir::BytesId::none;
      return to_->bytes(std::vector<std::byte>(bytes->begin(), bytes->end()));
    }
  }
  tir::detail::misuse("it has a field of a type that there is not");
}

}  // namespace mlf::python
