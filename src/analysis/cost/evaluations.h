// Computes the regions in which every node of a function is evaluated, and how often.
#pragma once

#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "analysis/cost/regions.h"
#include "analysis/cost/value_numbers.h"
#include "graph/kernels/kernel_code.h"

namespace mlf::analysis {

/// A node in one region.
struct Evaluation {
  RegionId region = RegionId::function;
  bool is_address = false;  ///< it is part of an index or a bound
  Count times{1};           ///< each time the region is entered
};

/// The regions in which every node is evaluated. A parent passes its regions on to its parts, so
/// that the time is linear even if a shared expression is evaluated exponentially often.
class Evaluations {
 public:
  /// Adds the regions of the function to `regions`.
  Evaluations(const graph::EvaluationOrder& order, Regions& regions);

  /// The evaluations of the node at a position of the order.
  const std::vector<Evaluation>& operator[](std::size_t position) const {
    return evaluations_[position];
  }

  struct Loop {
    RegionId body;
    Evaluation around;  ///< of the loop itself
  };
  /// In the order of the code: outer before inner.
  const std::vector<Loop>& loops() const { return loops_; }

 private:
  void pass_on(std::size_t position);
  RegionId region_of(const graph::Part& part, tir::Node whole, RegionId around);
  RegionId new_region(const graph::Part& part, tir::Node whole, RegionId around);
  void add(std::size_t position, const Evaluation& evaluation);
  void merge(std::vector<Evaluation>& evaluations);

  const graph::EvaluationOrder& order_;
  Regions& regions_;
  std::vector<std::vector<Evaluation>> evaluations_;
  std::map<std::tuple<RegionId, tir::NodeId, graph::When>, RegionId> known_;
  std::vector<Loop> loops_;
};

/// The analyses of a function that its costs and its accesses need. Each member depends on the code
/// and the members before it, and refers to them.
struct EvaluatedFunction {
  explicit EvaluatedFunction(const graph::KernelCode& code)
      : values(code.order, code.memories),
        regions(code.bindings),
        evaluations(code.order, regions) {}
  EvaluatedFunction(const EvaluatedFunction&) = delete;

  ValueNumbers values;
  Regions regions;
  Evaluations evaluations;
};

/// `kernel_cost` of code that is read already.
KernelCost kernel_cost(const graph::KernelCode& code);

}  // namespace mlf::analysis
