// Greedy planners first, then searches within decreasing heights.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <map>
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

/// The lowest placement of all greedy planners for which there is time, the first among equals.
/// Ends with the first one at the bound.
std::optional<Placement> best_greedy(const Instance& instance, Units bound, Deadline& deadline) {
  std::optional<Placement> best;
  const Measures measures(instance);
  for (const GreedyPlanner& planner : greedy_planners()) {
    std::optional<Placement> placement = place_greedily(instance, measures, planner, deadline);
    if (!placement) break;
    if (!best || height(instance, *placement) < height(instance, *best)) best = placement;
    if (height(instance, *best) == bound) break;
  }
  return best;
}

/// The order in which the search succeeds depends on the problem, so runs alternate between them.
constexpr std::array<std::array<Criterion, 3>, 6> kSearchOrders = {{
    {Criterion::pressure, Criterion::lifetime, Criterion::area},
    {Criterion::pressure, Criterion::area, Criterion::lifetime},
    {Criterion::lifetime, Criterion::area, Criterion::pressure},
    {Criterion::conflicts, Criterion::area, Criterion::pressure},
    {Criterion::area, Criterion::lifetime, Criterion::pressure},
    {Criterion::lifetime, Criterion::pressure, Criterion::area},
}};

/// The strategy of a run, counted from 0. Most runs repeat what was good, and all that a strategy
/// decides has another period, so that a problem that defeats one soon meets another.
Strategy strategy_of(std::uint64_t run) {
  const std::uint64_t round = run / kSearchOrders.size();
  Strategy strategy;
  strategy.order = kSearchOrders[run % kSearchOrders.size()];
  strategy.focus = run % 5 == 4 ? Focus::lowest : Focus::hardest;
  strategy.repeats = (run + round) % 4 != 0;
  strategy.seed = run;
  return strategy;
}

/// The length of a run: 1 1 2 1 1 2 4 1 1 2 1 1 2 4 8 and so on (Luby, Sinclair and Zuckerman
/// 1993). Up to a factor of a logarithm no other sequence of lengths is better for all problems.
std::uint64_t length_of(std::uint64_t run) {
  std::uint64_t place = run + 1;  // in a sequence of 2^k - 1 runs, whose last run is the longest
  while (!std::has_single_bit(place + 1)) place -= std::bit_floor(place) - 1;
  return (place + 1) / 2;
}

/// The best placement so far, and the known bounds of better ones.
class Optimizer {
 public:
  Optimizer(const Instance& instance, Placement start, Units bound, const SearchLimits& limits,
            Deadline& deadline)
      : instance_(instance),
        effort_(limits, instance.items.size(), deadline),
        best_(std::move(start)),
        best_height_(height(instance, best_)),
        bound_(bound) {}

  /// Improves the best placement until it is within `capacity` or proven to be the smallest.
  void run(std::optional<Units> capacity) {
    for (std::uint64_t run = 0; !is_done(capacity) && !effort_.ended(); ++run) {
      run_searches(capacity, run);
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

  /// Runs the search of each target, until one of them gives a result. The searches end with their
  /// targets.
  void run_searches(std::optional<Units> capacity, std::uint64_t run) {
    const std::vector<Units> heights = targets(capacity);
    std::erase_if(searches_, [&](const auto& one) {
      return std::ranges::find(heights, one.first) == heights.end();
    });
    const std::uint64_t steps = 2 * instance_.items.size() * length_of(run);
    for (const Units height : heights) {
      Search& search = searches_.try_emplace(height, instance_, height).first->second;
      if (note(height, search.run(strategy_of(run), steps, effort_)) || effort_.ended()) return;
    }
  }

  /// False if the result tells nothing.
  bool note(Units target, SearchResult result) {
    if (result.verdict == Verdict::found) {
      best_ = std::move(result.placement);
      best_height_ = height(instance_, best_);
    } else if (result.verdict == Verdict::impossible) {
      bound_ = target + 1;
    }
    return result.verdict != Verdict::undecided;
  }

  const Instance& instance_;
  Effort effort_;
  Placement best_;
  Units best_height_;
  Units bound_;
  std::map<Units, Search> searches_{};  // by height
};

/// Offsets and a lower bound, from greedy planners and searches. Nullopt if there is no time for
/// the first planner.
std::optional<Solution> searched(const Problem& problem, const SearchLimits& limits,
                                 Deadline& deadline) {
  const std::optional<Instance> instance = make_instance(problem, deadline);
  if (!instance) return std::nullopt;
  const Units bound = lower_bound(*instance, deadline);
  std::optional<Placement> start = best_greedy(*instance, bound, deadline);
  if (!start) return std::nullopt;
  std::optional<Units> capacity;
  if (problem.capacity) capacity = static_cast<Units>(*problem.capacity / instance->unit);
  Optimizer optimizer(*instance, *std::move(start), bound, limits, deadline);
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
