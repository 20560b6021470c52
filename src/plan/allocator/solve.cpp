// Simple planners first, windows of many buffers, then searches within decreasing heights.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "plan/allocator/deadline.h"
#include "plan/allocator/greedy.h"
#include "plan/allocator/instance.h"
#include "plan/allocator/search.h"
#include "plan/allocator/windows.h"
#include "support/error.h"

namespace mlf::plan {
namespace {

/// The lowest placement of the greedy planners for which there is time, the first among equals.
/// Ends with the first one within `enough`.
std::optional<Placement> best_greedy(const Instance& instance, Units enough, Deadline& deadline) {
  // Many items have time for the first planners only.
  constexpr std::size_t kMostPlacements = 90'000;
  std::size_t left = kMostPlacements;
  std::optional<Placement> best;
  if (instance.items.size() > left) return best;
  const Measures measures(instance);
  for (const GreedyPlanner& planner : greedy_planners()) {
    if (instance.items.size() > std::exchange(left, left - instance.items.size())) break;
    std::optional<Placement> placement = place_greedily(instance, measures, planner, deadline);
    if (!placement) break;
    if (!best || height(instance, *placement) < height(instance, *best)) best = placement;
    if (height(instance, *best) <= enough) break;
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
  Optimizer(const Instance& instance, Placement start, Units bound, const Effort& effort)
      : instance_(instance),
        effort_(effort),
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

std::optional<Units> capacity_of(const Problem& problem, const Instance& instance) {
  if (!problem.capacity) return std::nullopt;
  return static_cast<Units>(*problem.capacity / instance.unit);
}

std::uint64_t size_of(const Problem& problem, const std::vector<std::uint64_t>& offsets) {
  std::uint64_t size = 0;
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    // In bytes, not units: the last buffer need not end at a whole unit.
    size = std::max(size, offsets[i] + problem.buffers[i].size);
  }
  return size;
}

/// Lowers plans of many buffers in windows of time.
class WindowPlanner {
 public:
  WindowPlanner(const Problem& problem, const SearchLimits& limits, Deadline& deadline)
      : problem_(problem), deadline_(deadline), steps_left_(limits.steps.value_or(kMostSteps)) {}

  /// Tries the lowest target first: most problems have a solution at their bound.
  void improve(Solution& solution) {
    work_left_ = kWork + kWorkOfBuffer * problem_.buffers.size();
    std::uint64_t failed = solution.lower_bound;
    std::uint64_t target = std::max(solution.lower_bound, problem_.capacity.value_or(0));
    for (int round = 0; round < kRounds && target < solution.size; ++round) {
      if (deadline_.look()) return;
      if (!lower(solution, target)) failed = target;
      target = failed + (solution.size - failed) / 2;
      if (problem_.capacity) return;
    }
  }

 private:
  static constexpr int kRounds = 6;
  static constexpr std::uint64_t kMostSteps = 1'000'000;
  // A unit is about a microsecond, so this is near-linear time.
  static constexpr std::uint64_t kWork = 350'000;
  static constexpr std::uint64_t kWorkOfBuffer = 1;

  bool lower(Solution& solution, std::uint64_t target) {
    if (!windows_) windows_.emplace(problem_, deadline_);
    auto offsets = windows_->lower(solution.offsets, target,
                                   [this](const Problem& part) { return solve_part(part); });
    if (!offsets) return false;
    solution.offsets = *std::move(offsets);
    solution.size = size_of(problem_, solution.offsets);
    return true;
  }

  std::optional<std::vector<std::uint64_t>> solve_part(const Problem& part) {
    constexpr std::uint64_t kStepsOfBuffer = 8;
    constexpr std::uint64_t kGreedyWorkOfBuffer = 50;
    constexpr std::uint64_t kPairsOfWork = 4;
    const std::uint64_t count = part.buffers.size();
    if (!takes(kGreedyWorkOfBuffer * count)) return std::nullopt;
    SearchLimits limits;
    limits.steps = std::min(steps_left_, kStepsOfBuffer * part.buffers.size());
    Instance instance = make_instance(part);
    const Units capacity = *capacity_of(part, instance);
    const Units bound = lower_bound(instance, deadline_);
    if (bound > capacity) return std::nullopt;
    std::optional<Placement> start = best_greedy(instance, capacity, deadline_);
    if (!start) return std::nullopt;
    if (height(instance, *start) > capacity && takes(count * count / kPairsOfWork) &&
        list_conflicts(instance, deadline_)) {
      steps_left_ -= *limits.steps;
      Optimizer optimizer(instance, *std::move(start), bound, {limits, instance, deadline_});
      optimizer.run(capacity);
      start = optimizer.best();
    }
    std::vector<std::uint64_t> offsets = offsets_of(part, instance, *start);
    if (size_of(part, offsets) > *part.capacity) return std::nullopt;
    return offsets;
  }

  /// False if not so much work is left.
  bool takes(std::uint64_t work) {
    if (work > work_left_) return false;
    work_left_ -= work;
    return true;
  }

  const Problem& problem_;
  std::optional<Windows> windows_{};  // since the first target
  Deadline& deadline_;
  std::uint64_t steps_left_;
  std::uint64_t work_left_ = 0;
};

/// A size that is small enough, or that cannot become smaller.
std::uint64_t enough(const Problem& problem, const Solution& solution) {
  return std::max(solution.lower_bound, problem.capacity.value_or(0));
}

/// Improves a plan with searches of the whole problem.
void search(const Problem& problem, Instance& instance, const SearchLimits& limits,
            Deadline& deadline, Solution& solution) {
  const Effort effort(limits, instance, deadline);
  if (effort.ended() || !list_conflicts(instance, deadline)) return;
  Placement start;
  for (const Item& item : instance.items) {
    start.push_back(static_cast<Units>(solution.offsets[item.buffer] / instance.unit));
  }
  const auto bound = static_cast<Units>(solution.lower_bound / instance.unit);
  Optimizer optimizer(instance, std::move(start), bound, effort);
  optimizer.run(capacity_of(problem, instance));
  solution.offsets = offsets_of(problem, instance, optimizer.best());
  solution.lower_bound = static_cast<std::uint64_t>(optimizer.bound()) * instance.unit;
}

/// Beginning in the busiest section, where no byte is lost then. Takes the time that it needs.
Placement from_busiest_section(const Instance& instance) {
  const std::vector<Units> totals = totals_of(instance);
  const auto busiest = std::ranges::max_element(totals) - totals.begin();
  Deadline unlimited({});
  return in_order_of_time(instance, static_cast<SectionIndex>(busiest), unlimited).value();
}

/// The better one of both, or the only one for which there is time.
std::optional<Placement> from_an_end(const Instance& instance, Deadline& deadline) {
  std::optional<Placement> forwards = in_order_of_time(instance, 0, deadline);
  if (!forwards) return std::nullopt;
  std::optional<Placement> backwards =
      in_order_of_time(instance, instance.section_count - 1, deadline);
  if (!backwards || height(instance, *forwards) < height(instance, *backwards)) return forwards;
  return backwards;
}

/// Lowers plans of many items in windows, until one is small enough. These differ in how the plan
/// was made.
void plan_many(const Problem& problem, const Instance& instance, const SearchLimits& limits,
               Deadline& deadline, Solution& solution) {
  const auto least = static_cast<Units>(enough(problem, solution) / instance.unit);
  const std::array<std::function<std::optional<Placement>()>, 3> planners = {
      [&] { return from_busiest_section(instance); },
      [&] { return from_an_end(instance, deadline); },
      [&] { return best_greedy(instance, least, deadline); },
  };
  WindowPlanner windows(problem, limits, deadline);
  for (const auto& planner : planners) {
    const std::optional<Placement> start = planner();
    if (!start) return;
    Solution other = {.offsets = offsets_of(problem, instance, *start),
                      .lower_bound = solution.lower_bound};
    other.size = size_of(problem, other.offsets);
    windows.improve(other);
    if (solution.offsets.empty() || other.size < solution.size) solution = std::move(other);
    if (solution.size <= enough(problem, solution) || deadline.look()) return;
  }
}

/// Offsets and a lower bound.
Solution planned(const Problem& problem, const SearchLimits& limits, Deadline& deadline) {
  constexpr std::size_t kFewItems = 1000;
  Instance instance = make_instance(problem);
  const Units bound = lower_bound(instance, deadline);
  Solution solution;
  solution.lower_bound = static_cast<std::uint64_t>(bound) * instance.unit;
  if (instance.items.size() > kFewItems) {
    plan_many(problem, instance, limits, deadline, solution);
  } else {
    const std::optional<Placement> start = best_greedy(instance, bound, deadline);
    solution.offsets =
        offsets_of(problem, instance, start ? *start : from_busiest_section(instance));
  }
  solution.size = size_of(problem, solution.offsets);
  if (solution.size > enough(problem, solution) && !deadline.has_ended()) {
    search(problem, instance, limits, deadline, solution);
  }
  return solution;
}

}  // namespace

Result<Solution> solve(const Problem& problem, const SearchLimits& limits) {
  return support::to_result([&] {
    Deadline deadline(limits);
    Solution solution = planned(problem, limits, deadline);
    solution.size = size_of(problem, solution.offsets);
    solution.fits = !problem.capacity || solution.size <= *problem.capacity;
    // For a capacity, a search can also prove that no placement fits.
    solution.proven = solution.size == solution.lower_bound ||
                      (!solution.fits && solution.lower_bound > *problem.capacity);
    return solution;
  });
}

}  // namespace mlf::plan
