// Walks that see everything a node holds, its span included.
#pragma once

#include <cstdint>
#include <vector>

#include "mlf/tir/visit.h"

namespace mlf::tir::tir_json {

/// Calls `visit(child)` for everything that `node` refers to, its span last.
template <class Visit>
void for_each_part(Node node, Visit&& visit) {
  for_each_child(node, [&](Node child, const FieldInfo&) { visit(child); });
  if (const Node span = node.module().span(node.id())) visit(span);
}

/// A walk on a stack of its own: `enter(node)` says with true that a node is met for the first
/// time, `parts(node, push)` pushes what to walk below it, `leave(node)` comes after that.
template <class Enter, class Parts, class Leave>
void walk_once(Node root, Enter&& enter, Parts&& parts, Leave&& leave) {
  struct Step {
    Node node;
    bool leaving;
  };
  std::vector<Step> stack{{root, false}};
  std::vector<Step> below;
  while (!stack.empty()) {
    const Step step = stack.back();
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

}  // namespace mlf::tir::tir_json
