// Defines which parts of a node are evaluated, and when; nothing else defines this. Also orders the
// nodes of a function so that parents come before their parts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "graph/kernels/index_program.h"
#include "mlf/tir/module.h"

namespace mlf::graph {

/// How often a part is evaluated each time its parent is.
enum class When : std::uint8_t {
  always,           ///< once
  guard_holds,      ///< if `Part::guard` is true
  guard_fails,      ///< if it is false
  each_iteration,   ///< the body of a loop of known bounds
  unknown_times,    ///< the body of a `while`
  first_iteration,  ///< the init of a block: where its reduction axes are at their start
  // A compiler may evaluate both values of a Select, or only one of them.
  chosen,      ///< counts as once; certain only if `Part::guard` is true
  not_chosen,  ///< the same, if it is false
};

/// A part that is evaluated with its parent.
struct Part {
  tir::Node node{};
  When when = When::always;
  bool is_address = false;     ///< indices, bounds and extents: no arithmetic on data
  std::uint32_t position = 0;  ///< of `node` in the EvaluationOrder
  tir::Node guard{};
};

/// Returns the parts of a statement or an expression in the order of evaluation. Leaves out
/// descriptions (types, annotations, the regions of a block), and the operand of an `address_of`
/// except for its indices.
void evaluated_parts(tir::Node whole, std::vector<Part>& parts);

/// The nodes that a function evaluates, each once, every node before all of its parts; for a tree
/// in the order of the code. Positions are in this order.
class EvaluationOrder {
 public:
  explicit EvaluationOrder(tir::Node body);

  std::size_t size() const { return nodes_.size(); }
  tir::Node operator[](std::size_t position) const { return nodes_[position]; }
  bool contains(tir::Node node) const { return find(node) != positions_.end(); }
  std::size_t position_of(tir::Node node) const { return find(node)->second; }
  /// The parts of the node at this position.
  std::span<const Part> parts(std::size_t position) const {
    const std::size_t begin = first_part_[position];
    return std::span(parts_).subspan(begin, first_part_[position + 1] - begin);
  }

 private:
  using Positions = std::vector<std::pair<tir::NodeId, std::uint32_t>>;
  Positions::const_iterator find(tir::Node node) const;

  // A document may have thousands of functions, which are kept: no container for each node.
  std::vector<tir::Node> nodes_;
  std::vector<Part> parts_;
  std::vector<std::uint32_t> first_part_;  // by position, and the end of all
  Positions positions_;                    // sorted by node
};

/// Variables and their values: of lets, and of the axes of blocks, which are expressions of loop
/// variables.
Bindings bindings_of(const EvaluationOrder& order);

}  // namespace mlf::graph
