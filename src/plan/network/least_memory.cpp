#include "plan/network/network_problem.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "graph/network/memory_use.h"
#include "graph/node_queries.h"
#include "mlf/analysis/cost.h"
#include "plan/network/network_ticks.h"

namespace mlf::plan {
namespace {

using analysis::Count;
using graph::Call;
using graph::KernelBuffer;
using graph::PoolId;
using graph::Topology;

/// Memory that a tensor or a workspace needs for some time.
struct Stay {
  Interval ticks;
  std::uint64_t bytes = 0;
  /// Values of one storage are at one place and may be live at the same time.
  std::size_t owner = 0;
  std::optional<PoolId> pool{};  ///< nothing: executor, heap or stack
  bool is_conditional = false;   ///< of a branch that may not be taken
};

/// Bytes that two stays may share in one tick.
struct SharedBytes {
  std::int64_t tick = 0;
  std::size_t from = 0;  ///< indices of stays
  std::size_t to = 0;
  std::uint64_t bytes = 0;
};

/// The memory to count: all, or one pool; and whether branches that may not run count.
struct Selection {
  std::optional<PoolId> pool{};
  bool with_conditional = false;

  bool has(const Stay& stay) const {
    return (!pool || stay.pool == pool) && (with_conditional || !stay.is_conditional);
  }
};

/// Collects the lifetimes of memory. Parts of a kernel that are not understood count as 0 bytes, so
/// the sum is always a lower bound.
class StayCollector {
 public:
  StayCollector(const Topology& topology, std::span<const graph::TirInput> sources)
      : topology_(topology), ticks_(topology, sources), stays_of_values_(topology.values.size()) {
    for (std::size_t i = 0; i < topology_.values.size(); ++i) {
      add_value(static_cast<graph::ValueId>(i));
    }
    for (const Call& call : topology_.calls) {
      is_complete_ = is_complete_ && ticks_.understood(call.kernel) != nullptr;
      add_workspaces(call);
      add_shared(call);
    }
  }

  const std::vector<Stay>& stays() const { return stays_; }
  const std::vector<SharedBytes>& shared() const { return shared_; }
  /// Whether the collector found every live byte.
  bool is_complete() const { return is_complete_; }

 private:
  void add_value(graph::ValueId id) {
    const graph::Value& value = topology_[id];
    const graph::Storage& storage = topology_[value.storage];
    if (!is_in_ram(topology_, storage)) return;
    // Bytes that a reader reads after its end may belong to another value.
    std::optional<std::uint64_t> bytes = value.type.bytes();
    if (bytes != value.bytes) is_complete_ = false;
    // Outside of pools no value is larger than its allocation (MemoryUse).
    if (!storage.pool && storage.bytes)
      bytes = std::min(bytes.value_or(*storage.bytes), *storage.bytes);
    const Interval life = ticks_.life_of(id).certain;
    if (!bytes) is_complete_ = false;
    if (!bytes || *bytes == 0 || life.lower >= life.upper) return;
    stays_of_values_[index(id)] = stays_.size();
    stays_.push_back({life, *bytes, index(value.storage), storage.pool});
  }

  void add_workspaces(const Call& call) {
    const KernelTicks* ticks = ticks_.understood(call.kernel);
    const graph::Kernel& kernel = topology_.kernel_of(call);
    if (ticks == nullptr || !topology_.is_in_ram(kernel.device)) return;
    for (const KernelBuffer& buffer : kernel.workspaces) {
      const auto [is_found, touched] = ticks->find(buffer);
      if (!is_found || !buffer.bytes || stays_.size() >= kMaxStays) is_complete_ = false;
      if (!touched || !buffer.bytes || *buffer.bytes == 0 || stays_.size() >= kMaxStays) continue;
      workspaces_[{call.position, buffer.name, buffer.offset}].push_back(stays_.size());
      const std::int64_t begin = ticks_.begin_of(call);
      stays_.push_back({{begin + touched->lower, begin + touched->upper},
                        *buffer.bytes,
                        topology_.storages.size() + stays_.size(),
                        buffer.pool,
                        buffer.is_conditional});
    }
  }

  /// The stay that a kernel touches as `memory`; nullopt if it is not exactly one.
  std::optional<std::size_t> stay_of(const Call& call, const TickMemory& memory,
                                     bool is_read) const {
    if (memory.let) {
      const LetTicks& let = ticks_.of(call.kernel)->lets[*memory.let];
      const auto found = workspaces_.find({call.position, let.name, let.offset});
      if (found == workspaces_.end() || found->second.size() != 1) return std::nullopt;
      return found->second.front();
    }
    if (memory.argument >= call.arguments.size()) return std::nullopt;
    const graph::Argument& argument = call.arguments[memory.argument];
    const auto value = is_read ? argument.reads : argument.writes;
    // The caller knows the addresses of inputs and outputs, so nothing may overwrite them.
    if (!value || port_of(topology_, topology_[*value].storage) != nullptr) return std::nullopt;
    return stays_of_values_[index(*value)];
  }

  void add_shared(const Call& call) {
    const KernelTicks* ticks = ticks_.understood(call.kernel);
    if (ticks == nullptr) return;
    for (const InPlaceTick& one : ticks->in_place) {
      const std::int64_t tick = ticks_.begin_of(call) + one.tick;
      const auto from = stay_of(call, one.from, true);
      const auto to = stay_of(call, one.to, false);
      if (!from || !to || stays_[*from].owner == stays_[*to].owner) continue;
      if (stays_[*from].ticks.upper != tick + 1 || stays_[*to].ticks.lower != tick) continue;
      const std::uint64_t bytes = std::min(stays_[*from].bytes, stays_[*to].bytes);
      shared_.push_back({tick, *from, *to, bytes});
    }
  }

  using WorkspaceKey = std::tuple<graph::Position, std::string_view, std::optional<std::uint64_t>>;

  // The most workspaces of all calls; real networks have far fewer.
  static constexpr std::size_t kMaxStays = 10'000'000;

  const Topology& topology_;
  NetworkTicks ticks_;
  std::vector<std::optional<std::size_t>> stays_of_values_;
  /// By step, name and offset: two lets of one kernel may have one name.
  std::map<WorkspaceKey, std::vector<std::size_t>> workspaces_;
  std::vector<Stay> stays_;
  std::vector<SharedBytes> shared_;
  bool is_complete_ = true;
};

/// Follows beginnings and ends of stays, tick by tick.
class FullestTick {
 public:
  FullestTick(const StayCollector& collector, const Selection& selection)
      : stays_(collector.stays()) {
    for (std::size_t i = 0; i < stays_.size(); ++i) {
      if (!selection.has(stays_[i])) continue;
      events_.emplace_back(stays_[i].ticks.lower, true, i);
      events_.emplace_back(stays_[i].ticks.upper, false, i);
    }
    std::ranges::sort(events_);  // ends of a tick come before its beginnings
    // A result may overwrite one of its inputs; takes the largest.
    for (const SharedBytes& one : collector.shared()) {
      if (!selection.has(stays_[one.from]) || !selection.has(stays_[one.to])) continue;
      std::uint64_t& most = shared_[{one.tick, one.to}];
      most = std::max(most, one.bytes);
    }
  }

  std::uint64_t bytes() {
    std::uint64_t most = 0;
    for (std::size_t i = 0; i < events_.size();) {
      const std::int64_t tick = std::get<0>(events_[i]);
      for (; i < events_.size() && std::get<0>(events_[i]) == tick; ++i) apply(events_[i]);
      // Of two stays that share bytes, one begins at this tick and the other ends at the next.
      most = std::max(most, alive_ - std::min(alive_, shared_at(tick)));
    }
    return most;
  }

 private:
  using Event = std::tuple<std::int64_t, bool, std::size_t>;

  /// Of the live stays of one owner, the largest counts.
  void apply(const Event& event) {
    const Stay& stay = stays_[std::get<2>(event)];
    std::vector<std::uint64_t>& there = by_owner_[stay.owner];
    alive_ -= there.empty() ? 0 : std::ranges::max(there);
    if (std::get<1>(event)) {
      there.push_back(stay.bytes);
    } else {
      there.erase(std::ranges::find(there, stay.bytes));
    }
    alive_ = graph::sum_of(alive_, there.empty() ? 0 : std::ranges::max(there));
  }

  std::uint64_t shared_at(std::int64_t tick) const {
    std::uint64_t bytes = 0;
    for (auto at = shared_.lower_bound({tick, 0}); at != shared_.end() && at->first.first == tick;
         ++at) {
      bytes = graph::sum_of(bytes, at->second);
    }
    return bytes;
  }

  const std::vector<Stay>& stays_;
  std::vector<Event> events_;
  std::map<std::pair<std::int64_t, std::size_t>, std::uint64_t> shared_;  // by tick and result
  std::map<std::size_t, std::vector<std::uint64_t>> by_owner_;
  std::uint64_t alive_ = 0;
};

/// Limits the count to the bytes live at a peak, which `limit` states.
Count at_most(Count count, const Count& limit) {
  if (!limit.max) return count;
  count.min = std::min(count.min, *limit.max);
  if (count.max) count.max = std::min(*count.max, *limit.max);
  return count;
}

Count peak_of(const graph::MemoryUse& use) {
  return analysis::to_count(graph::ByteCount{use.peak ? use.peak->bytes : 0, use.exactness});
}

Count need(const StayCollector& collector, std::optional<PoolId> pool, bool is_complete) {
  Count count{FullestTick(collector, {pool, false}).bytes(), std::nullopt};
  if (is_complete) count.max = FullestTick(collector, {pool, true}).bytes();
  return count;
}

}  // namespace

LeastMemory least_memory(const Topology& topology, std::span<const graph::TirInput> sources) {
  LeastMemory least{.all = {}, .pools = std::vector<Count>(topology.pools.size())};
  const bool is_understood = topology.gaps.empty();
  if (!is_understood) least.all = Count::unknown();
  const StayCollector collector(topology, sources);
  bool is_complete = collector.is_complete();
  std::uint64_t allocated = 0;
  for (const graph::MemoryUse& use : topology.memory) {
    if (use.pool && topology[*use.pool].kind == graph::PoolKind::constant) continue;
    if (!topology.is_in_ram(use.device)) continue;
    const bool is_floor = may_be_more(use);
    if (use.pool) {
      Count& pool = least.pools[index(*use.pool)];
      pool = is_understood ? need(collector, use.pool, collector.is_complete() && !is_floor)
                           : Count::unknown();
      pool = at_most(pool, peak_of(use));
    }
    is_complete = is_complete && !is_floor;
    allocated =
        graph::sum_of(allocated, use.pool ? use.bytes.value_or(graph::kMostBytes) : use.used);
  }
  if (is_understood) least.all = need(collector, std::nullopt, is_complete);
  least.all = at_most(least.all, analysis::ram_peak(topology).bytes);
  // Where sizes are unknown, tensors are inside of their pools all the same.
  if (!least.all.is_exact()) least.all.min = std::min(least.all.min, allocated);
  return least;
}

}  // namespace mlf::plan
