#include "analysis/cost/evaluation_order.h"

#include <algorithm>

#include "mlf/tir/visit.h"

namespace mlf::analysis {

using tir::Kind;
using tir::Node;
namespace f = tir::f;

// Post order, last part first, and then reversed: a part that several nodes share comes after the
// last of them. The stack is our own, as nesting is the input's.
EvaluationOrder::EvaluationOrder(tir::Node body) {
  struct Step {
    tir::Node node;
    std::vector<Part> parts{};
    bool is_left = false;
  };
  tir::NodeSet seen(body.module());
  std::vector<Step> stack;
  stack.push_back({body});
  while (!stack.empty()) {
    Step& top = stack.back();
    if (top.is_left) {
      nodes_.push_back(top.node);
      parts_.push_back(std::move(top.parts));
      stack.pop_back();
      continue;
    }
    if (!seen.insert(top.node.id())) {
      stack.pop_back();
      continue;
    }
    evaluated_parts(top.node, top.parts);
    top.is_left = true;
    // Pushing moves the stack: `top` is no longer there afterwards.
    const std::vector<Part> parts = top.parts;
    for (const Part& part : parts) {
      if (!seen.contains(part.node.id())) stack.push_back({part.node});
    }
  }
  std::reverse(nodes_.begin(), nodes_.end());
  std::reverse(parts_.begin(), parts_.end());
  positions_.reserve(nodes_.size());
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    positions_.emplace(tir::index(nodes_[i].id()), i);
  }
}

Bindings bindings_of(const EvaluationOrder& order) {
  Bindings bindings;
  const auto bind = [&](Node variable, Node value) {
    bindings.emplace(tir::index(variable.id()), value);
  };
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Node node = order[i];
    if (node.is(Kind::Let)) bind(node[f::Let::var], node[f::Let::value]);
    if (node.is(Kind::LetStmt)) bind(node[f::LetStmt::var], node[f::LetStmt::value]);
    if (!node.is(Kind::BlockRealize)) continue;
    const tir::NodeList axes = node[f::BlockRealize::block].list(f::Block::iter_vars);
    const tir::NodeList values = node.list(f::BlockRealize::iter_values);
    for (std::size_t k = 0; k < std::min(axes.size(), values.size()); ++k) {
      bind(axes[k][f::IterVar::var], values[k]);
    }
  }
  return bindings;
}

}  // namespace mlf::analysis
