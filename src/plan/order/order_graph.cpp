#include "plan/order/order_graph.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>

#include "support/error.h"

namespace mlf::plan {
namespace {

constexpr std::int64_t kEndOfCall = std::numeric_limits<std::int64_t>::max();

std::size_t count(CallSetView set) {
  std::size_t bits = 0;
  for (const std::uint64_t word : set) bits += static_cast<std::size_t>(std::popcount(word));
  return bits;
}

}  // namespace

void check_sizes(const OrderProblem& problem) {
  constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 62;
  std::uint64_t sum = 0;
  const auto add = [&](std::uint64_t bytes) {
    if (bytes >= kMostBytes - sum) {
      throw support::Error(ErrorKind::invalid_input, "the sizes are too large", {});
    }
    sum += bytes;
  };
  for (const OrderBuffer& buffer : problem.buffers) add(buffer.bytes);
  for (const OrderCall& call : problem.calls) {
    for (const OrderScratch& scratch : call.scratch) add(scratch.bytes);
  }
}

OrderGraph::OrderGraph(const OrderProblem& problem)
    : problem_(problem), uses_(problem.calls.size()), direct_(problem.calls.size()) {
  take_uses(problem);
  take_dependencies(problem);
  close();
}

/// One use of each buffer per call: from the first access of any use to the last of any.
void OrderGraph::take_uses(const OrderProblem& problem) {
  for (const OrderBuffer& buffer : problem.buffers) {
    buffers_.push_back({buffer});
  }
  std::vector<bool> is_used(buffers_.size());
  for (CallIndex call = 0; call < size(); ++call) {
    for (const OrderUse& use : problem.calls[call].uses) {
      Buffer& buffer = buffers_[use.buffer];
      // A buffer that is read before it is written exists from the start.
      if (!is_used[use.buffer] && !use.writes) buffer.from_start = true;
      is_used[use.buffer] = true;
      const auto known = std::ranges::find(uses_[call], use.buffer, &OrderUse::buffer);
      if (known == uses_[call].end()) {
        uses_[call].push_back(use);
        buffer.users.push_back(call);
      } else {
        known->first = std::min(known->first, use.first);
        known->last = std::max(known->last, use.last);
      }
    }
  }
}

/// Readers stay between the same two writers. A call that keeps its place has the same calls before
/// it and after it.
void OrderGraph::take_dependencies(const OrderProblem& problem) {
  struct History {
    std::optional<CallIndex> writer{};
    std::vector<CallIndex> readers{};
  };
  std::vector<History> histories(buffers_.size());
  std::optional<CallIndex> barrier;
  for (CallIndex call = 0; call < size(); ++call) {
    std::vector<CallIndex>& direct = direct_[call];
    for (const OrderUse& use : problem.calls[call].uses) {
      History& history = histories[use.buffer];
      if (history.writer) direct.push_back(*history.writer);
      if (use.writes) direct.insert(direct.end(), history.readers.begin(), history.readers.end());
    }
    for (const OrderUse& use : problem.calls[call].uses) {
      History& history = histories[use.buffer];
      if (!use.writes) history.readers.push_back(call);
    }
    for (const OrderUse& use : problem.calls[call].uses) {
      if (use.writes) histories[use.buffer] = {call, {}};
    }
    if (barrier) direct.push_back(*barrier);
    if (problem.calls[call].keeps_place) {
      for (CallIndex other = barrier.value_or(0); other < call; ++other) direct.push_back(other);
      barrier = call;
    }
    std::erase(direct, call);
  }
}

/// Computes all dependencies of all calls, and drops direct ones that others imply.
void OrderGraph::close() {
  for (CallIndex call = 0; call < size(); ++call) {
    CallSet all(words());
    std::vector<CallIndex>& direct = direct_[call];
    std::ranges::sort(direct, std::ranges::greater{});
    std::vector<CallIndex> needed;
    // The given order is valid, so a call depends only on earlier ones.
    for (const CallIndex earlier : direct) {
      if (contains(all, earlier)) continue;
      needed.push_back(earlier);
      insert(all, earlier);
      for (std::size_t i = 0; i < all.size(); ++i) all[i] |= before_[earlier][i];
    }
    direct = std::move(needed);
    before_.push_back(std::move(all));
  }
}

/// Direct dependencies are sufficient: their own dependencies were done before them.
bool OrderGraph::is_ready(CallIndex call, CallSetView done) const {
  return std::ranges::all_of(direct_[call],
                             [&](CallIndex earlier) { return contains(done, earlier); });
}

/// A buffer that is neither used nor an output takes no bytes.
std::uint64_t OrderGraph::live_at_start() const {
  std::uint64_t bytes = 0;
  for (const Buffer& buffer : buffers_) {
    if (buffer.from_start && (buffer.to_end || !buffer.users.empty())) bytes += buffer.bytes;
  }
  return bytes;
}

// Whether a buffer is live depends on the set of finished calls, not on their order. Therefore the
// searches only distinguish sets of calls.
bool OrderGraph::is_alive_before(const Buffer& buffer, CallIndex call, CallSetView done) const {
  const auto is_done = [&](CallIndex user) { return user != call && contains(done, user); };
  return buffer.from_start || std::ranges::any_of(buffer.users, is_done);
}

bool OrderGraph::is_alive_after(const Buffer& buffer, CallIndex call, CallSetView done) const {
  const auto is_to_come = [&](CallIndex user) { return user != call && !contains(done, user); };
  return buffer.to_end || std::ranges::any_of(buffer.users, is_to_come);
}

/// The most bytes of any tick. Some span begins at that tick.
std::uint64_t OrderGraph::fullest(const std::vector<OrderScratch>& spans) {
  std::uint64_t most = 0;
  for (const OrderScratch& at : spans) {
    std::uint64_t bytes = 0;
    for (const OrderScratch& span : spans) {
      if (span.first <= at.first && at.first <= span.last) bytes += span.bytes;
    }
    most = std::max(most, bytes);
  }
  return most;
}

/// The cost of running `call` next: buffers that it does not use stay live or dead; its own begin
/// and end at their ticks.
StepCost OrderGraph::step(CallIndex call, CallSetView done, std::uint64_t live) const {
  std::uint64_t others = live;
  StepCost cost{.live_after = live};
  std::vector<OrderScratch> spans = problem_.calls[call].scratch;
  for (const OrderUse& use : uses_[call]) {
    const Buffer& buffer = buffers_[use.buffer];
    const bool before = is_alive_before(buffer, call, done);
    const bool after = is_alive_after(buffer, call, done);
    spans.push_back({buffer.bytes, before ? 0 : use.first, after ? kEndOfCall : use.last});
    if (before) others -= buffer.bytes;
    if (before && !after) cost.live_after -= buffer.bytes;
    if (!before && after) cost.live_after += buffer.bytes;
  }
  cost.peak = others + fullest(spans);
  return cost;
}

/// By call: the calls that cannot run before it.
std::vector<CallSet> OrderGraph::after() const {
  std::vector<CallSet> after(size(), CallSet(words()));
  for (CallIndex call = 0; call < size(); ++call) {
    for (CallIndex other = 0; other < call; ++other) {
      if (contains(before_[call], other)) insert(after[other], call);
    }
  }
  return after;
}

/// A lower bound of the peak in this call, for every order. Counts only the buffers that are live
/// in every order: a call that always runs before it made them, and a call that always runs after
/// it needs them.
std::uint64_t OrderGraph::least_peak(CallIndex call, CallSetView after) const {
  // The two extremes: all calls that may run later do so, or none does.
  CallSet not_after = before_[call];
  CallSet others(words());
  for (std::size_t i = 0; i < others.size(); ++i) others[i] = ~after[i];
  std::vector<OrderScratch> spans = problem_.calls[call].scratch;
  for (const OrderUse& use : uses_[call]) {
    const Buffer& buffer = buffers_[use.buffer];
    spans.push_back({buffer.bytes, is_alive_before(buffer, call, not_after) ? 0 : use.first,
                     is_alive_after(buffer, call, others) ? kEndOfCall : use.last});
  }
  std::uint64_t bytes = fullest(spans);
  for (const Buffer& buffer : buffers_) {
    if (std::ranges::find(buffer.users, call) != buffer.users.end()) continue;
    const bool before = is_alive_before(buffer, call, not_after);
    const bool is_needed = is_alive_after(buffer, call, others);
    if (before && is_needed) bytes += buffer.bytes;
  }
  return bytes;
}

std::uint64_t OrderGraph::lower_bound() const {
  const std::vector<CallSet> later = after();
  std::uint64_t bound = live_at_start();
  for (CallIndex call = 0; call < size(); ++call) {
    bound = std::max(bound, least_peak(call, later[call]));
  }
  return bound;
}

/// Lengths at which every order has finished the same calls. They split the network into parts that
/// are searched one by one.
std::vector<CallIndex> OrderGraph::cuts() const {
  // A call is among the first k in every order if fewer than k calls may run before it.
  const std::vector<CallSet> later = after();
  std::vector<CallIndex> always_within(size() + 1);  // by k: calls that join the first k
  for (CallIndex call = 0; call < size(); ++call) {
    ++always_within[size() - count(later[call])];
  }
  std::vector<CallIndex> cuts;
  CallIndex certain = 0;
  for (CallIndex k = 1; k <= size(); ++k) {
    certain += always_within[k];
    if (certain == k) cuts.push_back(k);
  }
  return cuts;
}

}  // namespace mlf::plan
