// The nodes of a function in an order in which the whole comes before its parts.
#pragma once

#include <cstddef>
#include <unordered_map>
#include <vector>

#include "analysis/cost/evaluated_parts.h"
#include "analysis/cost/index_program.h"

namespace mlf::analysis {

/// What a function evaluates, each node once, every node before all of its parts; of a tree the
/// order is that of the code. Positions are in this order.
class EvaluationOrder {
 public:
  explicit EvaluationOrder(tir::Node body);

  std::size_t size() const { return nodes_.size(); }
  tir::Node operator[](std::size_t position) const { return nodes_[position]; }
  bool contains(tir::Node node) const { return positions_.contains(tir::index(node.id())); }
  std::size_t position_of(tir::Node node) const { return positions_.at(tir::index(node.id())); }
  /// The parts of the node there.
  const std::vector<Part>& parts(std::size_t position) const { return parts_[position]; }

 private:
  std::vector<tir::Node> nodes_;
  std::vector<std::vector<Part>> parts_;
  std::unordered_map<std::uint32_t, std::size_t> positions_;
};

/// Variables and their values: of lets, and of blocks, whose axes are expressions of loop
/// variables.
Bindings bindings_of(const EvaluationOrder& order);

}  // namespace mlf::analysis
