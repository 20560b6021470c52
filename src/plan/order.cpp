#include "plan/order.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "plan/order_graph.h"
#include "support/error.h"

namespace mlf::plan {
namespace {

// More calls than any network has that was seen; sets of so many still fit into memory.
constexpr std::size_t kMaxCalls = 4096;

/// The wider the beam the better the order, and the time grows with the square of the calls.
std::size_t beam_width(std::size_t calls) {
  if (calls <= 256) return 64;
  return calls <= 1024 ? 8 : 1;
}

/// Calls are numbered in the order in which they run now.
std::vector<std::size_t> given_order(const OrderProblem& problem) {
  std::vector<std::size_t> calls(problem.calls.size());
  std::iota(calls.begin(), calls.end(), std::size_t{0});
  return calls;
}

/// Cheap answers first: each search has only to be better than what the one before it found.
CallOrder find_order(const OrderProblem& problem, const SearchLimits& limits) {
  CallOrder order{.calls = given_order(problem)};
  if (problem.calls.size() > kMaxCalls) {
    // Not even its peak: that takes time that grows with the square of the calls.
    order.not_searched = "there are more than " + std::to_string(kMaxCalls) + " calls";
    return order;
  }
  std::uint64_t peak = peak_of(problem, order.calls);
  order.given_peak = peak;
  const auto take = [&](const FoundOrder& found) {
    order.calls.assign(found.calls.begin(), found.calls.end());
    peak = found.peak;
  };
  const OrderGraph graph(problem);
  std::uint64_t lower_bound = graph.lower_bound();
  if (peak > lower_bound) {
    for (const std::size_t width : {std::size_t{1}, beam_width(problem.calls.size())}) {
      const FoundOrder found = beam_order(graph, width);
      if (found.peak < peak) take(found);
    }
  }
  if (peak > lower_bound) {
    const OrderSearchResult found = search_order(graph, peak, lower_bound, limits);
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
