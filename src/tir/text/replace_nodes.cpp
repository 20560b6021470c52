#include "tir/text/replace_nodes.h"

#include <optional>
#include <vector>

namespace mlf::tir::text {
namespace {

/// Fields that refer to something replaced, made anew; nothing for all others.
class Replacing {
 public:
  Replacing(Builder& builder, const Replacements& replacements)
      : builder_(builder), replacements_(replacements) {}

  std::optional<FieldValue> field(Node node, std::uint8_t at) {
    has_changed_ = false;
    const FieldValue value = copied(node, at);
    return has_changed_ ? std::optional(value) : std::nullopt;
  }

 private:
  FieldValue copied(Node node, std::uint8_t at) {
    switch (node.info().fields[at].type) {
      case FieldType::node:
        return replaced(node.node(at));
      case FieldType::list:
        return list(node.list(at));
      case FieldType::string_map:
        return names(node.map(at));
      case FieldType::node_map:
        return pairs(node.map(at));
      default:
        return NodeId::none;
    }
  }

  NodeId replaced(Node node) {
    const auto found = replacements_.find(index(node.id()));
    if (found == replacements_.end()) return node.id();
    has_changed_ = true;
    return found->second;
  }

  FieldValue list(const NodeList& list) {
    ids_.clear();
    for (const Node element : list) ids_.push_back(replaced(element));
    return has_changed_ ? builder_.list(ids_) : ListId::none;
  }

  FieldValue names(const NodeMap& map) {
    std::vector<NamedNode> entries;
    for (std::size_t i = 0; i < map.size(); ++i) {
      entries.push_back({builder_.string(map.name(i)), replaced(map.value(i))});
    }
    return has_changed_ ? builder_.map(entries) : ListId::none;
  }

  FieldValue pairs(const NodeMap& map) {
    std::vector<NodePair> entries;
    for (std::size_t i = 0; i < map.size(); ++i) {
      const NodeId key = replaced(map.key(i));
      entries.push_back({key, replaced(map.value(i))});
    }
    return has_changed_ ? builder_.map(entries) : ListId::none;
  }

  Builder& builder_;
  const Replacements& replacements_;
  std::vector<NodeId> ids_;
  bool has_changed_ = false;
};

}  // namespace

void replace_nodes(Builder& builder, const Replacements& replacements) {
  if (replacements.empty()) return;
  Replacing replacing(builder, replacements);
  const std::uint32_t size = builder.size();
  for (std::uint32_t id = 1; id < size; ++id) {
    const Node node = builder.node(static_cast<NodeId>(id));
    for (std::uint8_t at = 0; at < node.info().fields.size(); ++at) {
      if (const auto value = replacing.field(node, at)) builder.set(node.id(), at, *value);
    }
  }
}

}  // namespace mlf::tir::text
