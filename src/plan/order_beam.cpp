#include <algorithm>
#include <map>
#include <tuple>

#include "plan/order_graph.h"

namespace mlf::plan {
namespace {

/// A beginning of an order. The calls themselves are in `Trail`s, which beginnings share.
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

/// A beginning with one more call.
struct NextCall {
  std::size_t beginning = 0;
  CallIndex call = 0;
  std::uint64_t peak = 0;
  std::uint64_t live = 0;

  auto rank() const { return std::tuple(peak, live, beginning, call); }
};

/// Every call that may be next behind every beginning, the lowest peak first; of equals the one
/// that leaves least alive, then the earliest, so that the result does not depend on the machine.
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

}  // namespace

// A beam of width 1 is the greedy order. All beginnings have the same length, so that their peaks
// can be compared.
FoundOrder beam_order(const OrderGraph& graph, std::size_t width) {
  const std::uint64_t live = graph.live_at_start();
  std::vector<Beginning> beginnings{{CallSet(graph.words()), live, live, 0}};
  std::vector<Trail> trails{{}};  // the first one is that of nothing
  for (CallIndex length = 0; length < graph.size(); ++length) {
    std::vector<Beginning> next;
    for (const NextCall& candidate : candidates_of(graph, beginnings)) {
      if (next.size() == width) break;
      const Beginning& old = beginnings[candidate.beginning];
      Beginning one{old.done, candidate.peak, candidate.live, trails.size()};
      insert(one.done, candidate.call);
      // The same calls in another order: the first is the better one.
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

}  // namespace mlf::plan
