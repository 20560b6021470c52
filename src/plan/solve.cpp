// Greedy planners first, then the search.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "plan/greedy.h"
#include "plan/instance.h"
#include "support/error.h"

namespace mlf::plan {
namespace {

/// The lowest placement of all greedy planners, the first of equals.
Placement best_greedy(const Instance& instance) {
  std::optional<Placement> best;
  for (const GreedyPlanner& planner : greedy_planners()) {
    Placement placement = place_greedily(instance, planner);
    if (!best || height(instance, placement) < height(instance, *best)) best = std::move(placement);
  }
  return *std::move(best);
}

}  // namespace

Result<Solution> solve(const Problem& problem, const SearchLimits&) {
  return support::to_result([&] {
    const Instance instance = make_instance(problem);
    const Placement placement = best_greedy(instance);
    const Units bound = lower_bound(instance);
    Solution solution;
    solution.offsets = offsets_of(problem, instance, placement);
    for (std::size_t i = 0; i < solution.offsets.size(); ++i) {
      solution.size = std::max(solution.size, solution.offsets[i] + problem.buffers[i].size);
    }
    solution.lower_bound = static_cast<std::uint64_t>(bound) * instance.unit;
    solution.fits = !problem.capacity || solution.size <= *problem.capacity;
    solution.proven = solution.size == solution.lower_bound ||
                      (!solution.fits && solution.lower_bound > *problem.capacity);
    return solution;
  });
}

}  // namespace mlf::plan
