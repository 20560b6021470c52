#include "plan/order/order.h"

#include <algorithm>
#include <string>
#include <tuple>

#include "plan/allocator/deadline.h"
#include "plan/order/order_graph.h"
#include "support/error.h"
#include "support/numbers.h"

namespace mlf::plan {
namespace {

// More calls than any known network has; sets of this size still fit into memory.
constexpr std::size_t kMaxCalls = 4096;

/// A wider beam finds better orders; the time grows with the square of the number of calls.
std::size_t beam_width(std::size_t calls) {
  if (calls <= 256) return 64;
  return calls <= 1024 ? 8 : 1;
}

/// Numbers of calls follow the present order.
std::vector<std::size_t> given_order(const OrderProblem& problem) {
  return support::positions(problem.calls.size());
}

/// The most bytes live in one tick, in the given order.
std::uint64_t peak_of_given(const OrderGraph& graph) {
  CallSet done(graph.words());
  std::uint64_t live = graph.live_at_start();
  std::uint64_t peak = live;
  for (CallIndex call = 0; call < graph.size(); ++call) {
    const StepCost cost = graph.step(call, done, live);
    peak = std::max(peak, cost.peak);
    live = cost.live_after;
    insert(done, call);
  }
  return peak;
}

/// A prefix of an order. `Trail`s, which prefixes share, contain the calls.
struct Beginning {
  CallSet done;
  std::uint64_t peak = 0;
  std::uint64_t live = 0;
  std::size_t trail = 0;
};

struct Trail {
  CallIndex call = 0;
  std::size_t before = 0;
};

/// A prefix extended by one call.
struct NextCall {
  std::size_t beginning = 0;
  CallIndex call = 0;
  std::uint64_t peak = 0;
  std::uint64_t live = 0;

  auto rank() const { return std::tuple(peak, live, beginning, call); }
};

/// All extensions of all prefixes by one call, lowest peak first; among equals the one that leaves
/// the fewest live bytes, then the earliest, so that the result does not depend on the machine.
std::vector<NextCall> candidates_of(const OrderGraph& graph,
                                    const std::vector<Beginning>& beginnings) {
  std::vector<NextCall> candidates;
  for (std::size_t i = 0; i < beginnings.size(); ++i) {
    const Beginning& beginning = beginnings[i];
    for (CallIndex call = 0; call < graph.size(); ++call) {
      if (contains(beginning.done, call) || !graph.is_ready(call, beginning.done)) continue;
      const StepCost cost = graph.step(call, beginning.done, beginning.live);
      candidates.push_back({i, call, std::max(beginning.peak, cost.peak), cost.live_after});
    }
  }
  std::ranges::sort(candidates, {}, &NextCall::rank);
  return candidates;
}

/// Beam search: keeps the `width` best prefixes of each length, by lowest peak, then by fewest live
/// bytes. A width of 1 is a greedy order. There must be at least one call.
FoundOrder beam_order(const OrderGraph& graph, std::size_t width) {
  const std::uint64_t live = graph.live_at_start();
  std::vector<Beginning> beginnings{{CallSet(graph.words()), live, live, 0}};
  std::vector<Trail> trails{{}};  // the first one is the empty prefix
  for (CallIndex length = 0; length < graph.size(); ++length) {
    std::vector<Beginning> next;
    for (const NextCall& candidate : candidates_of(graph, beginnings)) {
      if (next.size() == width) break;
      const Beginning& old = beginnings[candidate.beginning];
      Beginning one{old.done, candidate.peak, candidate.live, trails.size()};
      insert(one.done, candidate.call);
      // The same calls in another order: keeps the first, which is better.
      if (std::ranges::find(next, one.done, &Beginning::done) != next.end()) continue;
      trails.push_back({candidate.call, old.trail});
      next.push_back(std::move(one));
    }
    beginnings = std::move(next);
  }
  FoundOrder order{{}, beginnings.front().peak};
  for (std::size_t at = beginnings.front().trail; at != 0; at = trails[at].before) {
    order.calls.push_back(trails[at].call);
  }
  std::ranges::reverse(order.calls);
  return order;
}

/// Cheap searches first: each search only needs to improve on the result of the one before it.
CallOrder find_order(const OrderProblem& problem, const SearchLimits& limits) {
  CallOrder order{.calls = given_order(problem)};
  if (problem.calls.size() > kMaxCalls) {
    // Not even the peak: its time grows with the square of the number of calls.
    order.not_searched = "there are more than " + std::to_string(kMaxCalls) + " calls";
    return order;
  }
  const SearchLimits shared = limits.from_now();
  const OrderGraph graph(problem);
  std::uint64_t peak = peak_of_given(graph);
  order.given_peak = peak;
  const auto take = [&](const FoundOrder& found) {
    order.calls.assign(found.calls.begin(), found.calls.end());
    peak = found.peak;
  };
  std::uint64_t lower_bound = graph.lower_bound();
  if (peak > lower_bound) {
    for (const std::size_t width : {std::size_t{1}, beam_width(problem.calls.size())}) {
      if (Deadline(shared).look()) break;
      const FoundOrder found = beam_order(graph, width);
      if (found.peak < peak) take(found);
    }
  }
  if (peak > lower_bound) {
    const OrderSearchResult found = search_order(graph, peak, lower_bound, shared);
    if (found.better) take(*found.better);
    lower_bound = found.lower_bound;
  }
  order.peak = peak;
  order.lower_bound = lower_bound;
  order.proven = peak == lower_bound;
  return order;
}

}  // namespace

bool CallOrder::changes() const {
  return !std::ranges::is_sorted(calls);
}

Result<CallOrder> best_order(const OrderProblem& problem, const SearchLimits& limits) {
  return support::to_result([&] {
    check_problem(problem);
    return find_order(problem, limits);
  });
}

}  // namespace mlf::plan
