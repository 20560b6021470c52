// Visits the children of a node, and all nodes of a module, which is a DAG.
//
//     mlf::tir::for_each_pre_order(module.root(), [](mlf::tir::Node node) {
//       if (node.is(mlf::tir::Kind::For)) print(node[mlf::tir::f::For::loop_var].id());
//     });
//
// Threads: functions have no shared state; any number of threads may call them at once.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "mlf/tir/module.h"

namespace mlf::tir {

/// Calls `visit(child, field)` for every node that `node` refers to, in the order of its fields.
/// Skips undefined children. Keys of a node_map come before their values.
template <class Visit>
void for_each_child(Node node, Visit&& visit) {
  const auto fields = node.info().fields;
  for (std::uint8_t i = 0; i < fields.size(); ++i) {
    const FieldInfo& field = fields[i];
    const auto emit = [&](Node child) {
      if (child) visit(child, field);
    };
    switch (field.type) {
      case FieldType::node:
        emit(node.node(i));
        break;
      case FieldType::list:
        for (const Node child : node.list(i)) emit(child);
        break;
      case FieldType::string_map:
      case FieldType::node_map: {
        const NodeMap map = node.map(i);
        for (std::size_t k = 0; k < map.size(); ++k) {
          if (field.type == FieldType::node_map) emit(map.key(k));
          emit(map.value(k));
        }
        break;
      }
      default:
        break;
    }
  }
}

/// The nodes of a module that a walk has visited.
class NodeSet {
 public:
  explicit NodeSet(const Module& module) : blocks_(module.size() / kBlock + 1) {}
  /// Adds a node. Returns false if the set already has it.
  bool insert(NodeId id) {
    std::unique_ptr<Block>& block = blocks_[index(id) / kBlock];
    if (block == nullptr) block = std::make_unique<Block>();
    auto seen = (*block)[index(id) % kBlock];
    if (seen) return false;
    return seen = true;
  }
  bool contains(NodeId id) const {
    const std::unique_ptr<Block>& block = blocks_[index(id) / kBlock];
    return block != nullptr && (*block)[index(id) % kBlock];
  }

 private:
  // Most walks visit one function, whose nodes are close to each other. With a bit for each node of
  // the module, one walk for each of its functions would take quadratic time.
  static constexpr std::size_t kBlock = 4096;
  using Block = std::bitset<kBlock>;
  std::vector<std::unique_ptr<Block>> blocks_;
};

/// Whether to visit the children of a node.
enum class Descend : std::uint8_t { into_children, past_children };

/// Walks without recursion. `enter(node)` returns whether to visit the node, which it should do
/// once; `parts(node, push)` pushes the nodes below it; `leave(node)` is called after those.
template <class Enter, class Parts, class Leave>
void walk_once(Node root, Enter&& enter, Parts&& parts, Leave&& leave) {
  struct Visit {
    Node node;
    bool leaving;
  };
  std::vector<Visit> stack{{root, false}};
  std::vector<Visit> below;
  while (!stack.empty()) {
    const Visit step = stack.back();
    stack.pop_back();
    if (step.leaving) {
      leave(step.node);
      continue;
    }
    if (!enter(step.node)) continue;
    stack.push_back({step.node, true});
    below.clear();
    parts(step.node, [&](Node part) { below.push_back({part, false}); });
    stack.insert(stack.end(), below.rbegin(), below.rend());
  }
}

/// Visits `root` and everything below it without recursion, shared nodes once: `enter(node)`, which
/// returns a Descend, before the children, `leave(node)` after them.
template <class Enter, class Leave>
void walk(Node root, NodeSet& seen, Enter&& enter, Leave&& leave) {
  Descend descend{};  // what `enter` said of the node whose children come next
  const auto meet = [&](Node node) {
    if (!seen.insert(node.id())) return false;
    descend = enter(node);
    return true;
  };
  const auto children = [&](Node node, auto&& push) {
    if (descend == Descend::past_children) return;
    for_each_child(node, [&](Node child, const FieldInfo&) {
      if (!seen.contains(child.id())) push(child);
    });
  };
  walk_once(root, meet, children, leave);
}

/// Visits `root` and every node below it once, children before parents.
template <class Visit>
void for_each_post_order(Node root, Visit&& visit) {
  if (!root) return;
  NodeSet seen(root.module());
  walk(
      root, seen, [](Node) { return Descend::into_children; }, visit);
}

/// Visits `root` and every node below it once, parents before children.
template <class Visit>
void for_each_pre_order(Node root, Visit&& visit) {
  if (!root) return;
  NodeSet seen(root.module());
  walk(
      root, seen,
      [&](Node node) {
        visit(node);
        return Descend::into_children;
      },
      [](Node) {});
}

}  // namespace mlf::tir
