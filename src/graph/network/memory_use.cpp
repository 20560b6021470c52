#include "graph/network/memory_use.h"

#include <algorithm>
#include <limits>
#include <set>

#include "graph/network/coverage.h"

namespace mlf::graph {

namespace {

/// Sums stop at the largest number that the JSON can say.
std::uint64_t sum(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  return a > kMost || b > kMost - a ? kMost : a + b;
}

ByteRange range_of(std::uint64_t begin, std::uint64_t bytes) {
  return {begin, sum(begin, bytes)};
}

/// Bytes that are in use from one step to another.
struct LiveRange {
  ByteRange range;
  Lifetime life;
};

/// A pool, or all memory outside of pools with one allocation behind the other.
struct Region {
  MemoryUse use;
  std::vector<LiveRange> live_ranges;
  std::uint64_t allocated = 0;  // by main, outside of pools: there all the time
};

/// Counts the bytes in use at each step, region by region.
///
/// A value lives from the step that defines it to the last one that touches it, both included
/// (Lifetimes); a kernel's workspace lives during its call, and a constant always. Each puts a
/// range of bytes on its region for that time. `follow` then goes through the steps at which
/// something comes or goes and lets Coverage count the bytes under at least one range: bytes that a
/// result shares with a dying input count once.
///
/// Outside of pools nothing says where an allocation is. Main's are laid out one after the other,
/// as a stack allocator would, and those of a kernel behind them.
class MemoryCounter {
 public:
  explicit MemoryCounter(const Topology& topology)
      : topology_(topology),
        regions_(topology.pools.size() + 1),
        bases_(topology.storages.size()),
        steps_(topology.calls.size() + topology.copies.size() + topology.hooks.size()) {}

  std::vector<MemoryUse> run() &&;

 private:
  void lay_out_allocations();
  void place_values();
  void place_constants(const Kernel& kernel);
  void place_workspaces(const Call& call);
  void note_unseen(const Kernel& kernel, const Call& call);
  void place_in_pool(const KernelBuffer& buffer, Lifetime life);
  Region& region_of(std::optional<PoolId> pool) {
    return regions_[pool ? index(*pool) : topology_.pools.size()];
  }
  void follow(Region& region) const;

  // Of all calls together: no real network comes near it.
  static constexpr std::size_t kMaxWorkspaces = 10'000'000;

  const Topology& topology_;
  std::vector<Region> regions_;       // by pool; the last one is what lies outside
  std::vector<std::uint64_t> bases_;  // by storage
  std::size_t steps_;
  std::size_t workspaces_ = 0;
};

// A value that does not fit its allocation is a check; here it must not reach into the next one.
std::optional<std::uint64_t> bytes_in_use(const Value& value, const Storage& storage) {
  if (storage.pool) return value.bytes;
  if (!storage.bytes) return std::nullopt;
  return std::min(value.bytes.value_or(*storage.bytes), *storage.bytes);
}

void MemoryCounter::lay_out_allocations() {
  Region& outside = region_of(std::nullopt);
  for (std::size_t i = 0; i < topology_.storages.size(); ++i) {
    const Storage& storage = topology_.storages[i];
    if (storage.kind != StorageKind::workspace) continue;
    bases_[i] = outside.allocated;
    outside.allocated = sum(outside.allocated, storage.bytes.value_or(0));
    if (!storage.bytes) outside.use.is_complete = false;
  }
}

void MemoryCounter::place_values() {
  const Lifetimes lifetimes(topology_);
  for (std::size_t i = 0; i < topology_.values.size(); ++i) {
    const Value& value = topology_.values[i];
    const Storage& storage = topology_[value.storage];
    if (!storage.pool && storage.kind != StorageKind::workspace) continue;
    Region& region = region_of(storage.pool);
    const auto begin = storage.pool ? storage.offset : std::optional(bases_[index(value.storage)]);
    const auto bytes = bytes_in_use(value, storage);
    if (begin && bytes) {
      const Lifetime life = lifetimes.of(static_cast<ValueId>(i));
      region.live_ranges.push_back({range_of(*begin, *bytes), life});
    } else {
      region.use.is_complete = false;
    }
  }
}

void MemoryCounter::place_in_pool(const KernelBuffer& buffer, Lifetime life) {
  Region& region = region_of(buffer.pool);
  if (!buffer.offset || buffer.bytes == 0) {
    region.use.is_complete = false;
  } else {
    region.live_ranges.push_back({range_of(*buffer.offset, buffer.bytes), life});
  }
}

void MemoryCounter::place_constants(const Kernel& kernel) {
  for (const KernelBuffer& buffer : kernel.constants) {
    if (buffer.pool) place_in_pool(buffer, {});
  }
}

void MemoryCounter::place_workspaces(const Call& call) {
  const Lifetime during{call.position, call.position};
  Region& outside = region_of(std::nullopt);
  std::uint64_t end = outside.allocated;
  for (const KernelBuffer& buffer : topology_.kernel_of(call).workspaces) {
    if (++workspaces_ > kMaxWorkspaces) {
      region_of(buffer.pool).use.is_complete = false;
      continue;
    }
    if (buffer.pool) {
      place_in_pool(buffer, during);
      continue;
    }
    if (buffer.bytes == 0) outside.use.is_complete = false;
    outside.live_ranges.push_back({range_of(end, buffer.bytes), during});
    end = sum(end, buffer.bytes);
  }
}

// Nobody knows what code without TIR does with the pools that it is given.
void MemoryCounter::note_unseen(const Kernel& kernel, const Call& call) {
  if (kernel.origin == KernelOrigin::tir) return;
  for (const Argument& argument : call.arguments) {
    if (argument.pool) region_of(argument.pool).use.is_complete = false;
  }
}

/// Live ranges in the order in which they begin and in the order in which they end.
struct LiveRangeOrder {
  explicit LiveRangeOrder(const std::vector<LiveRange>& live_ranges) {
    for (const LiveRange& range : live_ranges) {
      by_start.push_back(&range);
      if (range.life.to != Lifetime::kForever) by_end.push_back(&range);
    }
    std::stable_sort(by_start.begin(), by_start.end(), [](const LiveRange* a, const LiveRange* b) {
      return a->life.from < b->life.from;
    });
    std::stable_sort(by_end.begin(), by_end.end(), [](const LiveRange* a, const LiveRange* b) {
      return a->life.to < b->life.to;
    });
  }

  /// The steps at which something changes; the first is 0.
  std::set<std::int64_t> changes() const {
    std::set<std::int64_t> steps{0};
    for (const LiveRange* range : by_start)
      steps.insert(std::max<std::int64_t>(range->life.from, 0));
    for (const LiveRange* range : by_end) steps.insert(range->life.to + 1);
    return steps;
  }

  std::vector<const LiveRange*> by_start;
  std::vector<const LiveRange*> by_end;
};

std::vector<ByteRange> ranges_of(const std::vector<LiveRange>& live_ranges) {
  std::vector<ByteRange> ranges;
  for (const LiveRange& range : live_ranges) ranges.push_back(range.range);
  return ranges;
}

void note(MemoryUse& use, const MemoryPeak& now) {
  if (!use.peak || now.bytes > use.peak->bytes) use.peak = now;
  if (use.live.empty() || use.live.back().bytes != now.bytes) {
    use.live.push_back({now.position, now.bytes});
  }
}

void MemoryCounter::follow(Region& region) const {
  const LiveRangeOrder order(region.live_ranges);
  Coverage coverage(ranges_of(region.live_ranges));
  auto next = order.by_start.begin();
  auto leaving = order.by_end.begin();
  MemoryUse& use = region.use;
  use.used = region.allocated;
  for (const std::int64_t step : order.changes()) {
    if (static_cast<std::uint64_t>(step) >= steps_) break;
    for (; next != order.by_start.end() && (*next)->life.from <= step; ++next) {
      coverage.add((*next)->range);
    }
    // Whatever was never there at a step of main begins and ends at once.
    for (; leaving != order.by_end.end() && (*leaving)->life.to < step; ++leaving) {
      coverage.remove((*leaving)->range);
    }
    const std::uint64_t end = std::max(coverage.end(), region.allocated);
    use.used = std::max(use.used, end);
    note(use, {static_cast<Position>(step), coverage.bytes(), end});
  }
}

std::vector<MemoryUse> MemoryCounter::run() && {
  lay_out_allocations();
  place_values();
  for (const Kernel& kernel : topology_.kernels) place_constants(kernel);
  for (const Call& call : topology_.calls) {
    place_workspaces(call);
    note_unseen(topology_.kernel_of(call), call);
  }
  std::vector<MemoryUse> result;
  for (std::size_t i = 0; i < regions_.size(); ++i) {
    Region& region = regions_[i];
    const bool is_pool = i < topology_.pools.size();
    if (!is_pool && region.allocated == 0 && region.live_ranges.empty()) continue;
    follow(region);
    if (is_pool) region.use.pool = static_cast<PoolId>(i);
    region.use.bytes = is_pool ? topology_.pools[i].bytes : std::optional(region.use.used);
    result.push_back(std::move(region.use));
  }
  return result;
}

}  // namespace

void account_memory(Topology& topology) {
  topology.memory = MemoryCounter(topology).run();
}

Lifetimes::Lifetimes(const Topology& topology)
    : topology_(topology), returned_(topology.values.size()) {
  for (const Port& port : topology.outputs) {
    if (port.value) returned_[index(*port.value)] = true;
  }
}

Lifetime Lifetimes::of(ValueId id) const {
  const Value& value = topology_[id];
  if (value.kind == ValueKind::constant) return {};
  Lifetime life;
  if (value.first_definition) life.from = *value.first_definition;
  if (!returned_[index(id)]) life.to = value.last_use ? std::int64_t{*value.last_use} : life.from;
  return life;
}

}  // namespace mlf::graph
