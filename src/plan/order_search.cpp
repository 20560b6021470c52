// Best first over sets of calls that are done: what comes after such a set does not depend on the
// order within it. The next set is the one with the lowest peak so far, so the first complete one
// is the best.
#include "plan/order_graph.h"

#include <algorithm>
#include <chrono>
#include <queue>
#include <tuple>
#include <unordered_map>

namespace mlf::plan {
namespace {

// Calls looked at. It is a second or so.
constexpr std::uint64_t kDefaultSteps = 3'000'000;

// Of all sets that are kept.
constexpr std::size_t kMaxWords = 32'000'000;

class OrderSearch {
 public:
  OrderSearch(const OrderGraph& graph, std::uint64_t known_peak, std::uint64_t lower_bound,
              const SearchLimits& limits)
      : graph_(graph),
        cuts_(graph.cuts()),
        known_peak_(known_peak),
        bound_(lower_bound),
        limits_(limits),
        steps_left_(limits.steps.value_or(kDefaultSteps)) {}

  OrderSearchResult run();

 private:
  using StateIndex = std::uint32_t;

  struct State {
    std::uint64_t peak = 0;
    std::uint64_t live = 0;
    StateIndex before = 0;
    CallIndex length = 0;            // calls done
    std::vector<CallIndex> calls{};  // since the state before
  };

  /// Lowest peak first, of these the longest: it ends first.
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

  bool is_over() const;
  StepCost look_at(CallIndex call, CallSetView done, std::uint64_t live);
  void add(CallSet done, State state);
  void take_safe_calls(CallSet& done, State& state);
  void expand(StateIndex index);
  void pass_cuts(CallIndex length);
  FoundOrder order_of(StateIndex index) const;

  const OrderGraph& graph_;
  std::vector<CallIndex> cuts_;
  std::uint64_t known_peak_;
  std::uint64_t bound_;
  const SearchLimits& limits_;
  std::uint64_t steps_left_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::vector<State> states_;
  std::vector<CallSet> sets_;  // by state
  std::priority_queue<Waiting> waiting_;
  std::unordered_map<StateIndex, StateIndex, HashOfState, SameCalls> best_{
      0, HashOfState{&sets_}, SameCalls{&sets_}};  // by the calls of a state: the best such state
  CallIndex passed_ = 0;                           // the last cut that a state is behind
};

/// Steps and memory end the search at the same place on every machine; time and a stop do not.
bool OrderSearch::is_over() const {
  if (steps_left_ == 0 || states_.size() * graph_.words() > kMaxWords) return true;
  if (limits_.stop.stop_requested()) return true;
  return limits_.seconds && std::chrono::steady_clock::now() - start_ > *limits_.seconds;
}

/// A look at a call is the unit of work that limits count.
StepCost OrderSearch::look_at(CallIndex call, CallSetView done, std::uint64_t live) {
  if (steps_left_ > 0) --steps_left_;
  return graph_.step(call, done, live);
}

/// A call that neither reaches above the peak there is nor leaves more bytes alive than it found
/// may run at once: taken out of any later place and put here, it makes no other call's peak
/// higher. Without this, sets of independent calls would be as many as their orders.
void OrderSearch::take_safe_calls(CallSet& done, State& state) {
  bool is_any = true;
  while (is_any) {
    is_any = false;
    for (CallIndex call = 0; call < graph_.size(); ++call) {
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

/// A set of calls that is reached: kept if it is new, or reached with a lower peak than before.
void OrderSearch::add(CallSet done, State state) {
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

/// All calls that may be next. What is not below the order that is known already is of no use.
void OrderSearch::expand(StateIndex index) {
  const std::uint64_t live = states_[index].live;
  for (CallIndex call = 0; call < graph_.size(); ++call) {
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

/// Every order has the same calls in front of a cut. The first state that is taken up behind it got
/// there with the lowest peak, so those in front of it are of no use any more.
void OrderSearch::pass_cuts(CallIndex length) {
  const auto next = std::ranges::upper_bound(cuts_, length);
  if (next != cuts_.begin()) passed_ = std::max(passed_, *std::prev(next));
}

FoundOrder OrderSearch::order_of(StateIndex index) const {
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

OrderSearchResult OrderSearch::run() {
  const std::uint64_t live = graph_.live_at_start();
  add(CallSet(graph_.words()), {.peak = live, .live = live, .before = 0, .length = 0, .calls = {}});
  while (!waiting_.empty()) {
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
  // Nothing below the known peak is left: the order that has it is the best.
  return {std::nullopt, known_peak_};
}

}  // namespace

OrderSearchResult search_order(const OrderGraph& graph, std::uint64_t known_peak,
                               std::uint64_t lower_bound, const SearchLimits& limits) {
  return OrderSearch(graph, known_peak, lower_bound, limits).run();
}

}  // namespace mlf::plan
