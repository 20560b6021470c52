#include "analysis/cost/evaluation_order.h"

#include <algorithm>

#include "mlf/tir/visit.h"

namespace mlf::analysis {

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

}  // namespace mlf::analysis
