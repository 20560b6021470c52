#include "graph/network/memory_use.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "graph/kernels/kernels.h"
#include "graph/node_queries.h"
#include "support/lookup.h"

namespace mlf::graph {

// A segment tree. Its leaves are the pieces between adjacent bounds, and an empty one at the end;
// the parent of node n is n / 2.
Coverage::Coverage(const std::vector<ByteRange>& ranges) {
  for (const ByteRange& range : ranges) {
    bounds_.push_back(range.begin);
    bounds_.push_back(range.end);
  }
  std::sort(bounds_.begin(), bounds_.end());
  bounds_.erase(std::unique(bounds_.begin(), bounds_.end()), bounds_.end());
  leaves_ = std::max<std::size_t>(bounds_.size(), 1);
  tree_.resize(2 * leaves_);
  for (std::size_t i = 0; i + 1 < bounds_.size(); ++i) {
    tree_[leaves_ + i].length = bounds_[i + 1] - bounds_[i];
  }
  for (std::size_t node = leaves_ - 1; node > 0; --node) {
    tree_[node].length = tree_[2 * node].length + tree_[2 * node + 1].length;
  }
}

std::size_t Coverage::leaf_at(std::uint64_t bound) const {
  const auto at = std::lower_bound(bounds_.begin(), bounds_.end(), bound);
  return leaves_ + static_cast<std::size_t>(at - bounds_.begin());
}

// A covered node ignores its children: ranges below it count only when it is uncovered.
void Coverage::update(std::size_t node) {
  Node& own = tree_[node];
  if (own.ranges > 0) {
    own.bytes = own.length;
  } else if (node >= leaves_) {
    own.bytes = 0;
  } else {
    own.bytes = tree_[2 * node].bytes + tree_[2 * node + 1].bytes;
  }
}

void Coverage::update_above(std::size_t leaf) {
  for (std::size_t node = leaf / 2; node > 0; node /= 2) update(node);
}

// The usual bottom-up walk of a segment tree: splits [first, last) into its O(log n) largest nodes,
// and changes only these and the nodes above them.
void Coverage::change(ByteRange range, int by) {
  if (range.begin >= range.end) return;
  const std::size_t first = leaf_at(range.begin);
  const std::size_t last = leaf_at(range.end);
  const auto cover = [&](std::size_t node) {
    tree_[node].ranges += by;
    update(node);
  };
  for (std::size_t a = first, b = last; a < b; a /= 2, b /= 2) {
    if (a % 2 == 1) cover(a++);
    if (b % 2 == 1) cover(--b);
  }
  update_above(first);
  update_above(last - 1);
}

namespace {

ByteRange range_of(std::uint64_t begin, std::uint64_t bytes) {
  return {begin, sum_of(begin, bytes)};
}

/// Bytes that are in use from one step to another.
struct LiveRange {
  ByteRange range;
  Lifetime life;
};

/// A pool, or memory of another kind with consecutive allocations.
struct Region {
  MemoryUse use;
  std::vector<LiveRange> live_ranges;
  std::uint64_t allocated = 0;  // outside of pools: exists all the time
  bool may_be_more = false;
  bool may_be_less = false;
  bool frees_early = false;  // main allocates after it has freed

  void note_more(std::string why) {
    may_be_more = true;
    note(std::move(why));
  }
  void note_less(std::string why) {
    may_be_less = true;
    note(std::move(why));
  }

 private:
  // Several calls of one kernel give one reason. A few are enough to show the error.
  void note(std::string why) {
    constexpr std::size_t kMaxReasons = 20;
    support::add_once(use.uncertain, std::move(why), kMaxReasons);
  }
};

/// The kinds of memory that are not pools, in the order of Topology::memory.
constexpr std::array kOutsideOfPools{MemoryKind::executor, MemoryKind::heap, MemoryKind::stack};

// If a value does not fit its allocation, a check reports it; here its range must not extend into
// the next allocation.
std::optional<std::uint64_t> bytes_in_use(const Value& value, const Storage& storage) {
  if (storage.pool) return value.bytes;
  if (!storage.bytes) return std::nullopt;
  return std::min(value.bytes.value_or(*storage.bytes), *storage.bytes);
}

/// The CPU (kDLCPU is 1), then the other devices of storages by their numbers, then those of
/// kernels.
std::vector<std::optional<Device>> devices_of(const Topology& topology) {
  std::vector<std::optional<Device>> devices;
  const auto add = [&](const auto& ones) {
    std::set<Device> found;
    for (const auto& one : ones) {
      if (one.device && !support::is_among(devices, one.device)) found.insert(*one.device);
    }
    devices.insert(devices.end(), found.begin(), found.end());
  };
  add(topology.storages);
  add(topology.kernels);
  if (devices.empty()) devices.emplace_back();
  // Clang 14 has no std::ranges::stable_partition.
  std::stable_partition(devices.begin(), devices.end(), [](const auto& one) { return one == 1; });
  return devices;
}

/// Whether a storage takes memory while the network runs. Constants of main are in the program. The
/// graph executor copies its constant parameters into its own storage.
bool takes_memory(const Storage& storage) {
  return storage.memory && *storage.memory != MemoryKind::program;
}

/// Bytes that are in use from a step on, and those that are not any more.
struct StepChanges {
  std::vector<ByteRange> begin{};
  std::vector<ByteRange> end{};
};

void note(MemoryUse& use, const MemoryPeak& now) {
  if (!use.peak || now.bytes > use.peak->bytes) use.peak = now;
  if (use.live.empty() || use.live.back().bytes != now.bytes) {
    use.live.push_back({now.position, now.bytes});
  }
}

Exactness exactness_of(const Region& region) {
  if (region.may_be_more) return region.may_be_less ? Exactness::unknown : Exactness::at_least;
  return region.may_be_less ? Exactness::at_most : Exactness::exact;
}

/// Counts the bytes in use at each step, region by region.
/// A value is live from the step that defines it to the last one that accesses it, both included
/// (Lifetimes); a kernel's workspace is live during its call, and a constant always. Each adds a
/// range of bytes to its region for that time. `follow` then visits the steps at which ranges begin
/// or end, and Coverage counts the bytes in at least one range: bytes that a result shares with an
/// input whose lifetime ends count once.
/// Outside of pools, the place of an allocation is unknown. Lays out main's allocations as a stack
/// allocator would: consecutively, unless main frees some before others, and those of a kernel
/// after all of them.
class MemoryCounter {
 public:
  explicit MemoryCounter(const Topology& topology)
      : topology_(topology),
        regions_(topology.pools.size() + topology.devices.size() * kOutsideOfPools.size()),
        bases_(topology.storages.size()),
        calls_at_(topology.steps()) {}

  std::vector<MemoryUse> run() && {
    name_regions();
    lay_out_allocations();
    place_values();
    for (const Kernel& kernel : topology_.kernels) place_constants(kernel);
    for (const Call& call : topology_.calls) {
      place_workspaces(call);
      note_unseen(topology_.kernel_of(call), call);
    }
    note_gaps();
    std::vector<MemoryUse> result;
    for (Region& region : regions_) {
      const bool is_empty = region.allocated == 0 && region.live_ranges.empty();
      // Keeps regions of unknown size: unknown is not empty.
      if (!region.use.pool && is_empty && !region.may_be_more) continue;
      follow(region);
      if (region.use.used >= kMostBytes) region.note_more("it has too many bytes to count");
      region.use.exactness = exactness_of(region);
      if (region.use.pool) {
        region.use.bytes = topology_[*region.use.pool].bytes;
      } else if (region.use.exactness == Exactness::exact) {
        region.use.bytes = region.use.used;
      }
      result.push_back(std::move(region.use));
    }
    return result;
  }

 private:
  /// What is in memory of an unknown device counts in that of the first one.
  Region& region_of(MemoryKind memory, std::optional<PoolId> pool, std::optional<Device> device) {
    if (pool) return regions_[index(*pool)];
    const auto& devices = topology_.devices;
    const auto known = std::ranges::find(devices, device);
    const std::ptrdiff_t row = known == devices.end() ? 0 : known - devices.begin();
    const std::ptrdiff_t at = std::ranges::find(kOutsideOfPools, memory) - kOutsideOfPools.begin();
    return regions_[topology_.pools.size() +
                    static_cast<std::size_t>(row) * kOutsideOfPools.size() +
                    static_cast<std::size_t>(at)];
  }

  void name_regions() {
    for (std::size_t i = 0; i < topology_.pools.size(); ++i) {
      regions_[i].use.pool = static_cast<PoolId>(i);
      regions_[i].use.device = topology_.devices.front();
    }
    for (const std::optional<Device> device : topology_.devices) {
      for (const MemoryKind kind : kOutsideOfPools) {
        MemoryUse& use = region_of(kind, {}, device).use;
        use.kind = kind;
        use.device = device;
      }
    }
    for (std::size_t i = 0; i < topology_.calls.size(); ++i) {
      calls_at_[topology_.calls[i].position] = static_cast<CallId>(i);
    }
  }

  // A storage that never contains a value also takes memory: main allocates it.
  void lay_out_allocations() {
    for (std::size_t i = 0; i < topology_.storages.size(); ++i) {
      const Storage& storage = topology_.storages[i];
      if (storage.pool || !takes_memory(storage)) continue;
      Region& region = region_of(*storage.memory, {}, storage.device);
      bases_[i] = storage.offset.value_or(region.allocated);
      region.frees_early = region.frees_early || storage.offset;
      const std::uint64_t end =
          sum_of(bases_[i], allocated_bytes(*storage.memory, storage.bytes.value_or(0)));
      region.allocated = std::max(region.allocated, end);
      if (!storage.bytes) region.note_more("the size of " + quoted(storage.name) + " is unknown");
    }
  }

  void place_values() {
    const Lifetimes lifetimes(topology_);
    for (std::size_t i = 0; i < topology_.values.size(); ++i) {
      const Value& value = topology_.values[i];
      const Storage& storage = topology_[value.storage];
      if (!takes_memory(storage)) continue;
      Region& region = region_of(*storage.memory, storage.pool, storage.device);
      const auto begin =
          storage.pool ? storage.offset : std::optional(bases_[index(value.storage)]);
      const auto bytes = bytes_in_use(value, storage);
      if (begin && bytes) {
        const Lifetime life = lifetimes.of(static_cast<ValueId>(i));
        region.live_ranges.push_back({range_of(*begin, *bytes), life});
      } else {
        region.note_more("the offset or size of " + quoted(value.name) + " is unknown");
      }
    }
  }

  /// Places a kernel's own tensor: in a pool at its offset, else after the memory of main and the
  /// graph executor.
  void place(const KernelBuffer& buffer, Lifetime life, const Kernel& kernel) {
    Region& region = region_of(buffer.memory, buffer.pool, kernel.device);
    if (!buffer.offset || !buffer.bytes) {
      return region.note_more("the offset or size of " + quoted(buffer.name) + " in " +
                              quoted(kernel.symbol) + " is unknown");
    }
    if (buffer.is_conditional || kernel.may_end_early) {
      const std::string_view why = buffer.is_conditional ? " allocates under a condition: "
                                                         : " may end before it allocates ";
      region.note_less(fmt::format("{}{}{}", quoted(kernel.symbol), why, quoted(buffer.name)));
    }
    if (!buffer.pool && kernel.device.value_or(kCpu) != kCpu) {
      region.note_more("each thread of " + quoted(kernel.symbol) + " may have its own " +
                       quoted(buffer.name));
    }
    if (!buffer.pool && region.frees_early) {
      region.note_less("main may have freed memory before it calls " + quoted(kernel.symbol));
    }
    const std::uint64_t base = buffer.pool ? 0 : region.allocated;
    region.live_ranges.push_back({range_of(sum_of(base, *buffer.offset), *buffer.bytes), life});
  }

  void place_constants(const Kernel& kernel) {
    for (const KernelBuffer& buffer : kernel.constants) {
      if (buffer.pool) place(buffer, {}, kernel);
    }
  }

  void place_workspaces(const Call& call) {
    const Lifetime during{call.position, call.position};
    const Kernel& kernel = topology_.kernel_of(call);
    for (const KernelBuffer& buffer : kernel.workspaces) {
      if (++workspaces_ > kMaxWorkspaces) {
        region_of(buffer.memory, buffer.pool, kernel.device)
            .note_more("there are too many calls to count");
      } else {
        place(buffer, during, kernel);
      }
    }
  }

  // The allocations of code that is not understood, and its accesses to its arguments, are unknown.
  // Their directions and lifetimes are only assumed.
  void note_unseen(const Kernel& kernel, const Call& call) {
    if (kernel.is_understood()) return;
    const std::string why = kernel.has_tir() ? quoted(kernel.symbol) + ": " + kernel.gaps.front()
                                             : quoted(kernel.symbol) + " has no TIR";
    const auto note = [&](Region& region) {
      region.note_more(why);
      if (kernel.may_end_early) region.note_less(why);
    };
    // A function without a definition may read less of its arguments than its calls suggest.
    const auto note_given = [&](Region& region) {
      note(region);
      if (kernel.origin == KernelOrigin::unknown) region.note_less(why);
    };
    for (const Argument& argument : call.arguments) {
      if (argument.pool) note_given(region_of(MemoryKind::pool, argument.pool, {}));
      if (!argument.storage) continue;
      // The graph executor allocates its storages independently of the kernels.
      const Storage& storage = topology_[*argument.storage];
      const bool is_of_executor = storage.memory == MemoryKind::executor;
      if (takes_memory(storage) && !is_of_executor)
        note_given(region_of(*storage.memory, storage.pool, storage.device));
    }
    for (const std::optional<Device> device : topology_.devices) {
      if (kernel.device && device != kernel.device) continue;
      note(region_of(MemoryKind::heap, {}, device));
      note(region_of(MemoryKind::stack, {}, device));
    }
  }

  /// Parts of main that are not understood may allocate memory, overwrite a tensor in use, or use a
  /// tensor for longer. Therefore no number of any region is a bound.
  void note_gaps() {
    for (const std::string& gap : topology_.gaps) {
      for (Region& region : regions_) {
        if (!region.use.pool && region.use.kind == MemoryKind::executor) continue;
        region.note_more(gap);
        region.note_less(gap);
      }
    }
  }

  void follow(Region& region) const {
    std::vector<ByteRange> ranges;
    std::map<std::int64_t, StepChanges> steps{{0, {}}};
    MemoryUse& use = region.use;
    use.used = region.allocated;
    for (const auto& [range, life] : region.live_ranges) {
      const std::int64_t from = std::max<std::int64_t>(life.from, 0);
      const bool is_in_main = from <= life.to && from < std::ssize(calls_at_);
      if (!is_in_main) continue;
      ranges.push_back(range);
      steps[from].begin.push_back(range);
      if (life.to != Lifetime::kForever) steps[life.to + 1].end.push_back(range);
      const MemoryKind kind = use.pool ? MemoryKind::pool : use.kind;
      if (range.begin < range.end) use.used = std::max(use.used, allocated_bytes(kind, range.end));
    }
    Coverage coverage(ranges);
    for (const auto& [step, changes] : steps) {
      if (static_cast<std::uint64_t>(step) >= calls_at_.size()) break;
      for (const ByteRange& range : changes.begin) coverage.add(range);
      for (const ByteRange& range : changes.end) coverage.remove(range);
      const auto position = static_cast<Position>(step);
      note(use, {position, calls_at_[position], coverage.bytes()});
    }
  }

  // For all calls together; real networks have far fewer.
  static constexpr std::size_t kMaxWorkspaces = 10'000'000;

  const Topology& topology_;
  std::vector<Region> regions_;       // by pool, then by device in the order of kOutsideOfPools
  std::vector<std::uint64_t> bases_;  // by storage
  std::vector<std::optional<CallId>> calls_at_;  // by position
  std::size_t workspaces_ = 0;
};

}  // namespace

void account_memory(Topology& topology) {
  topology.devices = devices_of(topology);
  topology.memory = MemoryCounter(topology).run();
}

MemoryTotals memory_in_turn(std::span<const TirInput> sources) {
  Topology topology;
  const FunctionTable functions(sources);
  for (const FunctionRef& function : functions.all()) {
    const auto number = static_cast<std::uint32_t>(topology.calls.size());
    topology.kernels.push_back(describe_kernel(function, sources).kernel);
    topology.calls.push_back({static_cast<KernelId>(number), number, {}, {}});
  }
  account_memory(topology);
  MemoryTotals totals = memory_totals(topology);
  for (const TirInput& source : sources) {
    for (const auto& [name, param] : linked_parameters(source)) {
      const auto bytes = type_of(param[tir::f::LinkedParam::param]).bytes();
      totals.constants += {bytes.value_or(0), bytes ? Exactness::exact : Exactness::at_least};
    }
  }
  return totals;
}

void size_workspace_pool(Topology& topology, std::optional<std::uint64_t> stated) {
  const auto is_workspace = [](const Pool& pool) { return pool.kind == PoolKind::workspace; };
  if (!stated || std::ranges::count_if(topology.pools, is_workspace) != 1) return;
  Pool& pool = *std::ranges::find_if(topology.pools, is_workspace);
  if (pool.bytes) return;
  const auto id = static_cast<PoolId>(&pool - topology.pools.data());
  const auto use = std::ranges::find(topology.memory, std::optional(id), &MemoryUse::pool);
  const bool is_just_used =
      use != topology.memory.end() && use->exactness == Exactness::exact && use->used == *stated;
  if (is_just_used) pool.bytes = use->bytes = stated;
}

bool is_in_ram(const Topology& topology, const Storage& storage) {
  return takes_memory(storage) && topology.is_in_ram(storage.device) &&
         (!storage.pool || topology[*storage.pool].kind == PoolKind::workspace);
}

bool may_be_more(const MemoryUse& use) {
  return use.exactness == Exactness::at_least || use.exactness == Exactness::unknown;
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

std::uint64_t least_workspace(const Topology& topology) {
  const MemoryTotals totals = memory_totals(topology);
  const std::uint64_t parameters = std::min(totals.executor.bytes, totals.constants.bytes);
  std::uint64_t pools = 0;
  for (const MemoryUse& use : topology.memory) {
    const bool is_workspace =
        use.pool && topology[*use.pool].kind == PoolKind::workspace &&
        (use.exactness == Exactness::exact || use.exactness == Exactness::at_least);
    if (is_workspace) pools += std::min(use.used, topology[*use.pool].bytes.value_or(use.used));
  }
  return pools + totals.executor.bytes - parameters +
         std::max(totals.heap.bytes, totals.stack.bytes);
}

}  // namespace mlf::graph
