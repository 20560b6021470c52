// Best-first search over sets of finished calls: the cost of the remaining calls does not depend on
// the order within the set. Takes the set with the lowest peak so far next, so the first complete
// set is optimal.
#include "plan/order/order_graph.h"

#include <algorithm>
#include <queue>
#include <tuple>
#include <unordered_map>

#include "plan/allocator/deadline.h"

namespace mlf::plan {
namespace {

// The most calls to look at: about a second.
constexpr std::uint64_t kDefaultSteps = 3'000'000;

// The most words in all stored sets.
constexpr std::size_t kMaxWords = 32'000'000;

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
    add(CallSet(graph_.words()),
        {.peak = live, .live = live, .before = 0, .length = 0, .calls = {}});
    // Without time, states that were not found may have lower peaks than those that wait.
    while (!waiting_.empty() && !deadline_.has_ended()) {
      const Waiting next = waiting_.top();
      waiting_.pop();
      const bool is_outdated = best_.find(next.state)->second != next.state;
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

  struct HashOfState {
    const std::vector<CallSet>* sets;
    std::size_t operator()(StateIndex state) const {
      std::uint64_t hash = 0xcbf29ce484222325;
      for (const std::uint64_t word : (*sets)[state]) {
        hash = (hash ^ word) * 0x9e3779b97f4a7c15;
        hash ^= hash >> 29;
      }
      return static_cast<std::size_t>(hash);
    }
  };
  struct SameCalls {
    const std::vector<CallSet>* sets;
    bool operator()(StateIndex a, StateIndex b) const { return (*sets)[a] == (*sets)[b]; }
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
    const Waiting waiting{state.peak, state.length, index};
    states_.push_back(std::move(state));
    sets_.push_back(std::move(done));
    const auto [known, is_new] = best_.try_emplace(index, index);
    if (!is_new) {
      if (states_[known->second].peak <= waiting.peak) {
        states_.pop_back();
        sets_.pop_back();
        return;
      }
      known->second = index;
    }
    waiting_.push(waiting);
  }

  /// Tries all calls that may be next. Drops results that are not better than the known order.
  void expand(StateIndex index) {
    const std::uint64_t live = states_[index].live;
    for (CallIndex call = 0; call < graph_.size(); ++call) {
      if (is_late()) return;
      if (contains(sets_[index], call) || !graph_.is_ready(call, sets_[index])) continue;
      const StepCost cost = look_at(call, sets_[index], live);
      const std::uint64_t peak = std::max(states_[index].peak, cost.peak);
      if (peak >= known_peak_) continue;
      CallSet done = sets_[index];
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
  std::vector<CallSet> sets_;  // by state
  std::priority_queue<Waiting> waiting_;
  std::unordered_map<StateIndex, StateIndex, HashOfState, SameCalls> best_{
      0, HashOfState{&sets_}, SameCalls{&sets_}};  // the best state with these calls
  CallIndex passed_ = 0;                           // the last cut that a state has passed
};

}  // namespace

OrderSearchResult search_order(const OrderGraph& graph, std::uint64_t known_peak,
                               std::uint64_t lower_bound, const SearchLimits& limits) {
  return OrderSearch(graph, known_peak, lower_bound, limits).run();
}

}  // namespace mlf::plan
