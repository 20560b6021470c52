// Greedy planners first, then searches within decreasing capacities.
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "plan/by_time.h"
#include "plan/deadline.h"
#include "plan/greedy.h"
#include "plan/instance.h"
#include "plan/search.h"
#include "support/error.h"

namespace mlf::plan {
namespace {

/// The lowest placement of all greedy planners for which there is time; the first among equals.
std::optional<Placement> best_greedy(const Instance& instance, Deadline& deadline) {
  std::optional<Placement> best;
  const Measures measures(instance);
  for (const GreedyPlanner& planner : greedy_planners()) {
    std::optional<Placement> placement = place_greedily(instance, measures, planner, deadline);
    if (!placement) break;
    if (!best || height(instance, *placement) < height(instance, *best)) best = placement;
  }
  return best;
}

/// The fastest order depends on the problem, by factors of thousands, so the searches alternate
/// between them.
constexpr std::array<std::array<Criterion, 3>, 6> kSearchOrders = {{
    {Criterion::pressure, Criterion::lifetime, Criterion::area},
    {Criterion::pressure, Criterion::area, Criterion::lifetime},
    {Criterion::lifetime, Criterion::area, Criterion::pressure},
    {Criterion::conflicts, Criterion::area, Criterion::pressure},
    {Criterion::area, Criterion::lifetime, Criterion::pressure},
    {Criterion::lifetime, Criterion::pressure, Criterion::area},
}};

/// The best placement so far, and the known bounds of better ones.
class Optimizer {
 public:
  Optimizer(const Instance& instance, Placement start, const SearchLimits& limits,
            Deadline& deadline)
      : instance_(instance),
        effort_(limits, instance.items.size(), deadline),
        best_(std::move(start)),
        best_height_(height(instance, best_)),
        bound_(lower_bound(instance, deadline)) {}

  /// Improves the best placement until it is within `capacity` or proven to be the smallest.
  void run(std::optional<Units> capacity) {
    // Short searches in every order come before longer ones in any order.
    for (std::uint64_t steps = 2 * instance_.items.size(); !is_done(capacity); steps *= 2) {
      if (effort_.ended()) return;
      while (!is_done(capacity) && improve(capacity, steps)) {
      }
    }
  }

  const Placement& best() const { return best_; }
  Units bound() const { return bound_; }

 private:
  bool is_done(std::optional<Units> capacity) const {
    return best_height_ == bound_ ||
           (capacity && (best_height_ <= *capacity || bound_ > *capacity));
  }

  /// The heights to try, lowest first: most problems have a solution at their bound.
  std::vector<Units> targets(std::optional<Units> capacity) const {
    if (capacity) return {*capacity};
    const Units gap = best_height_ - 1 - bound_;
    std::vector<Units> result;
    for (const Units part : {Units{0}, gap / 4, gap / 2, gap}) {
      if (result.empty() || bound_ + part > result.back()) result.push_back(bound_ + part);
    }
    return result;
  }

  /// One round of searches; ends with the first that finds or proves a result. False if none does.
  bool improve(std::optional<Units> capacity, std::uint64_t steps) {
    for (const Units target : targets(capacity)) {
      for (const auto& order : kSearchOrders) {
        SearchResult result = search(instance_, target, order, steps, effort_);
        if (result.verdict == Verdict::found) {
          best_ = std::move(result.placement);
          best_height_ = height(instance_, best_);
          return true;
        }
        if (result.verdict == Verdict::impossible) {
          bound_ = target + 1;
          return true;
        }
        if (effort_.ended()) return false;
      }
    }
    return false;
  }

  const Instance& instance_;
  Effort effort_;
  Placement best_;
  Units best_height_;
  Units bound_;
};

/// Offsets and a lower bound, from greedy planners and searches. Nullopt if there is no time for
/// the first planner.
std::optional<Solution> searched(const Problem& problem, const SearchLimits& limits,
                                 Deadline& deadline) {
  const std::optional<Instance> instance = make_instance(problem, deadline);
  if (!instance) return std::nullopt;
  std::optional<Placement> start = best_greedy(*instance, deadline);
  if (!start) return std::nullopt;
  std::optional<Units> capacity;
  if (problem.capacity) capacity = static_cast<Units>(*problem.capacity / instance->unit);
  Optimizer optimizer(*instance, *std::move(start), limits, deadline);
  optimizer.run(capacity);
  return Solution{
      .offsets = offsets_of(problem, *instance, optimizer.best()),
      .lower_bound = static_cast<std::uint64_t>(optimizer.bound()) * instance->unit,
  };
}

}  // namespace

Result<Solution> solve(const Problem& problem, const SearchLimits& limits) {
  return support::to_result([&] {
    Deadline deadline(limits);
    std::optional<Solution> found = searched(problem, limits, deadline);
    Solution solution = found ? *std::move(found) : in_order_of_time(problem);
    for (std::size_t i = 0; i < solution.offsets.size(); ++i) {
      // In bytes, not units: the last buffer need not end at a whole unit.
      solution.size = std::max(solution.size, solution.offsets[i] + problem.buffers[i].size);
    }
    solution.fits = !problem.capacity || solution.size <= *problem.capacity;
    // For a capacity, a search can also prove that no placement fits.
    solution.proven = solution.size == solution.lower_bound ||
                      (!solution.fits && solution.lower_bound > *problem.capacity);
    return solution;
  });
}

}  // namespace mlf::plan
