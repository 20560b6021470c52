#include "plan/order/order.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "plan/allocator/deadline.h"
#include "plan/order/order_graph.h"
#include "support/error.h"
#include "support/numbers.h"

namespace mlf::plan {
namespace {

// The most calls to look at: about a second.
constexpr std::uint64_t kDefaultSteps = 3'000'000;

// The most words in all stored sets.
constexpr std::size_t kMaxWords = 32'000'000;

struct OrderSearchResult {
  std::optional<FoundOrder> better{};  ///< the best order, if its peak is below the known one
  std::uint64_t lower_bound = 0;
};

/// Searches an order with a peak below `known_peak`; `lower_bound` is that of the graph. Best-first
/// search over sets of finished calls: the cost of the remaining calls does not depend
/// on the order within the set. Takes the set with the lowest peak so far next, so the first
/// complete set is optimal.
class OrderSearch {
 public:
  OrderSearch(const OrderGraph& graph, std::uint64_t known_peak, std::uint64_t lower_bound,
              const SearchLimits& limits)
      : graph_(graph),
        cuts_(graph.cuts()),
        known_peak_(known_peak),
        bound_(lower_bound),
        deadline_(limits),
        steps_left_(limits.steps.value_or(kDefaultSteps)) {}

  OrderSearchResult run() {
    const std::uint64_t live = graph_.live_at_start();
    add(CallSet(graph_.words()), {.peak = live, .live = live});
    // Without time, states that were not found may have lower peaks than those that wait.
    while (!waiting_.empty() && !deadline_.has_ended()) {
      const Waiting next = waiting_.top();
      waiting_.pop();
      const bool is_outdated = best_.find(*states_[next.state].done)->second != next.state;
      if (is_outdated || next.length < passed_) continue;
      bound_ = std::max(bound_, next.peak);
      if (next.length == graph_.size()) return {order_of(next.state), bound_};
      if (is_over()) return {std::nullopt, bound_};
      pass_cuts(next.length);
      expand(next.state);
    }
    if (deadline_.has_ended()) return {std::nullopt, bound_};
    // No state below the known peak remains: the order with this peak is optimal.
    return {std::nullopt, known_peak_};
  }

 private:
  using StateIndex = std::uint32_t;

  struct State {
    const CallSet* done = nullptr;  // a key of best_
    std::uint64_t peak = 0;
    std::uint64_t live = 0;
    StateIndex before = 0;
    CallIndex length = 0;            // calls done
    std::vector<CallIndex> calls{};  // since the state before
  };

  /// Lowest peak first; among these the longest, which is nearest to the end.
  struct Waiting {
    std::uint64_t peak = 0;
    CallIndex length = 0;
    StateIndex state = 0;

    bool operator<(const Waiting& other) const {
      return std::tuple(other.peak, length, other.state) < std::tuple(peak, other.length, state);
    }
  };

  struct HashOfCalls {
    std::size_t operator()(const CallSet& calls) const {
      const auto* const bytes = reinterpret_cast<const char*>(calls.data());
      return std::hash<std::string_view>{}({bytes, calls.size() * sizeof calls[0]});
    }
  };

  /// Limits on steps and memory end the search at the same point on every machine; a time limit or
  /// a stop does not.
  bool is_over() const {
    return steps_left_ == 0 || states_.size() * graph_.words() > kMaxWords || deadline_.has_ended();
  }

  /// Looking for calls that are ready takes most of the time.
  bool is_late() {
    constexpr std::uint64_t kWorkOfCall = 10;
    return deadline_.ends_after(kWorkOfCall);
  }

  /// Looking at a call is the unit of work for the limits.
  StepCost look_at(CallIndex call, CallSetView done, std::uint64_t live) {
    if (steps_left_ > 0) --steps_left_;
    return graph_.step(call, done, live);
  }

  /// A call that neither exceeds the present peak nor increases the live bytes may run now: moving
  /// it here from any later place raises no other call's peak. Without this rule, the number of
  /// sets of independent calls would grow exponentially.
  void take_safe_calls(CallSet& done, State& state) {
    bool is_any = true;
    while (is_any) {
      is_any = false;
      for (CallIndex call = 0; call < graph_.size(); ++call) {
        if (is_late()) return;
        if (contains(done, call) || !graph_.is_ready(call, done)) continue;
        const StepCost cost = look_at(call, done, state.live);
        if (cost.peak > std::max(state.peak, bound_) || cost.live_after > state.live) continue;
        insert(done, call);
        state.peak = std::max(state.peak, cost.peak);
        state.live = cost.live_after;
        state.calls.push_back(call);
        ++state.length;
        is_any = true;
      }
    }
  }

  /// Keeps a set of calls if it is new, or if its peak is lower than before.
  void add(CallSet done, State state) {
    take_safe_calls(done, state);
    if (state.peak >= known_peak_) return;
    const auto index = static_cast<StateIndex>(states_.size());
    const auto [known, is_new] = best_.try_emplace(std::move(done), index);
    if (!is_new && states_[known->second].peak <= state.peak) return;
    known->second = index;
    state.done = &known->first;
    waiting_.push({state.peak, state.length, index});
    states_.push_back(std::move(state));
  }

  /// Tries all calls that may be next. Drops results that are not better than the known order.
  void expand(StateIndex index) {
    const CallSet& before = *states_[index].done;
    const std::uint64_t live = states_[index].live;
    for (CallIndex call = 0; call < graph_.size(); ++call) {
      if (is_late()) return;
      if (contains(before, call) || !graph_.is_ready(call, before)) continue;
      const StepCost cost = look_at(call, before, live);
      const std::uint64_t peak = std::max(states_[index].peak, cost.peak);
      if (peak >= known_peak_) continue;
      CallSet done = before;
      insert(done, call);
      add(std::move(done), {.peak = peak,
                            .live = cost.live_after,
                            .before = index,
                            .length = states_[index].length + 1,
                            .calls = {call}});
    }
  }

  /// Every order has the same calls before a cut. The first state that passes it has the lowest
  /// peak, so the states before the cut are obsolete.
  void pass_cuts(CallIndex length) {
    const auto next = std::ranges::upper_bound(cuts_, length);
    if (next != cuts_.begin()) passed_ = std::max(passed_, *std::prev(next));
  }

  FoundOrder order_of(StateIndex index) const {
    FoundOrder order{{}, states_[index].peak};
    while (true) {
      const State& state = states_[index];
      order.calls.insert(order.calls.end(), state.calls.rbegin(), state.calls.rend());
      if (index == 0) break;
      index = state.before;
    }
    std::ranges::reverse(order.calls);
    return order;
  }

  const OrderGraph& graph_;
  std::vector<CallIndex> cuts_;
  std::uint64_t known_peak_;
  std::uint64_t bound_;
  Deadline deadline_;
  std::uint64_t steps_left_;
  std::vector<State> states_;
  std::priority_queue<Waiting> waiting_;
  std::unordered_map<CallSet, StateIndex, HashOfCalls> best_;  // the best state with these calls
  CallIndex passed_ = 0;  // the last cut that a state has passed
};

// More calls than any known network has; sets of this size still fit into memory.
constexpr std::size_t kMaxCalls = 4096;

/// A wider beam finds better orders; the time grows with the square of the number of calls.
std::size_t beam_width(std::size_t calls) {
  if (calls <= 256) return 64;
  return calls <= 1024 ? 8 : 1;
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

/// A prefix of an order.
struct Beginning {
  CallSet done;
  std::uint64_t peak = 0;
  std::uint64_t live = 0;
  std::vector<CallIndex> calls{};
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
  std::vector<Beginning> beginnings{{CallSet(graph.words()), live, live}};
  for (CallIndex length = 0; length < graph.size(); ++length) {
    std::vector<Beginning> next;
    for (const NextCall& candidate : candidates_of(graph, beginnings)) {
      if (next.size() == width) break;
      const Beginning& old = beginnings[candidate.beginning];
      Beginning one{old.done, candidate.peak, candidate.live};
      insert(one.done, candidate.call);
      // The same calls in another order: keeps the first, which is better.
      if (std::ranges::find(next, one.done, &Beginning::done) != next.end()) continue;
      one.calls = old.calls;
      one.calls.push_back(candidate.call);
      next.push_back(std::move(one));
    }
    beginnings = std::move(next);
  }
  return {std::move(beginnings.front().calls), beginnings.front().peak};
}

/// Cheap searches first: each search only needs to improve on the result of the one before it.
CallOrder find_order(const OrderProblem& problem, const SearchLimits& limits) {
  // Numbers of calls follow the present order.
  CallOrder order{.calls = support::positions(problem.calls.size())};
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
    const OrderSearchResult found = OrderSearch(graph, peak, lower_bound, shared).run();
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
    check_sizes(problem);
    return find_order(problem, limits);
  });
}

}  // namespace mlf::plan
