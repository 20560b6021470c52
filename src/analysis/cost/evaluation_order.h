// Which parts of a node are evaluated, and when: the one place that says what running a node means.
// And the nodes of a function in an order in which the whole comes before its parts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "graph/kernels/index_program.h"
#include "mlf/tir/module.h"

namespace mlf::analysis {

/// How often a part is evaluated each time the whole is.
enum class When : std::uint8_t {
  always,           ///< once
  guard_holds,      ///< where `Part::guard` is true
  guard_fails,      ///< where it is false
  each_iteration,   ///< the body of a loop of known bounds
  unknown_times,    ///< the body of a `while`
  first_iteration,  ///< the init of a block: where its reduction axes are at their start
};

/// A part that is evaluated with its whole.
struct Part {
  tir::Node node;
  When when = When::always;
  bool is_address = false;  ///< indices, bounds and extents: no arithmetic on data
  tir::Node guard{};
};

/// The parts of a statement or an expression in the order in which they are evaluated. What is only
/// described (types, annotations, the regions of a block) is not among them, nor is what an
/// `address_of` points to, except for its indices.
void evaluated_parts(tir::Node whole, std::vector<Part>& parts);

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
graph::Bindings bindings_of(const EvaluationOrder& order);

}  // namespace mlf::analysis
