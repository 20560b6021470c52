// Counts how often a place in a function is reached, by the loops and conditions around it: the
// number of iterations of these loops in which the conditions hold. Computes the regions in which
// every node of a function is evaluated, and how often.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/cost/value_numbers.h"
#include "graph/kernels/iteration_domain.h"
#include "graph/kernels/kernel_code.h"
#include "mlf/analysis/cost.h"
#include "mlf/tir/module.h"

namespace mlf::analysis {

enum class RegionId : std::uint32_t { function = 0 };

enum class RegionKind : std::uint8_t {
  counted,      ///< has a count of its own: the function, or a join of several regions
  loop,         ///< the body of a loop
  conditional,  ///< where all `constraints` are met
  unknown,      ///< the body of a `while`
};

/// A part of the code under the same loops and conditions.
struct Region {
  RegionKind kind = RegionKind::counted;
  RegionId parent = RegionId::function;
  tir::Node loop{};  ///< of `loop`
  Count extent{};    ///< of `loop`: iterations each time, fewest to most
  std::vector<graph::Constraint> constraints{};  ///< of `conditional`
  Count count{1};           ///< times it is entered in one execution of the function
  std::uint32_t depth = 0;  ///< regions around it
  RegionId innermost_loop = RegionId::function;  ///< itself or around it; `function`: none
};

/// The regions of one function. Runs iterations one by one if conditions require it, within limits;
/// beyond these a count is a range, and `reasons` says why.
class Regions {
 public:
  explicit Regions(const graph::Bindings& bindings) : bindings_(bindings), regions_(1) {}

  const Region& operator[](RegionId id) const { return regions_[static_cast<std::size_t>(id)]; }

  /// The region in which a part is evaluated: a loop's body, a branch, where the reduction axes of
  /// a block are at their start, the body of a `while`; of any other part, the one around it.
  RegionId inside(RegionId around, const graph::Part& part, tir::Node whole);
  /// The join of several regions, which code below does not distinguish.
  RegionId merge(RegionId common, const Count& count);
  /// The innermost region that contains both.
  RegionId common_region(RegionId a, RegionId b) const;

  /// Why counts are not exact, in the order of discovery.
  const std::vector<std::string>& reasons() const { return reasons_; }
  void explain(const std::string& reason);

 private:
  /// Loops that are run together.
  struct Iterations {
    Count all;
    Count innermost{};  ///< of the last loop, each time it is entered
  };

  RegionId append(Region region);
  void count_loop(Region& region);
  void count_conditional(Region& region);
  Iterations count_around(const Region& region);
  std::pair<graph::IterationDomain, Count> domain_of(const Region& region) const;
  Count count_constants(const graph::IterationDomain& domain);
  Iterations count_group(const graph::IterationDomain& domain,
                         const graph::IterationDomain::Group& group);
  template <class CountWith>
  auto within_steps(CountWith count);
  bool spend(std::size_t steps);

  const graph::Bindings& bindings_;
  std::vector<Region> regions_;
  std::vector<std::string> reasons_;
  /// Results for loops with their constraints, by node ids: the same condition often occurs twice.
  std::map<std::vector<std::uint32_t>, Iterations> groups_;
  std::uint64_t steps_left_ = std::uint64_t{1} << 25;
};

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
