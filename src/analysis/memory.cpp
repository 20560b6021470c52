#include "mlf/analysis/cost.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "graph/network/memory_use.h"
#include "graph/node_queries.h"
#include "support/lookup.h"

namespace mlf::analysis {
namespace {

using graph::MemoryKind;
using graph::MemoryUse;
using graph::Topology;

/// Regions that must be in RAM of the program: all except pools of constants and memory of devices.
std::vector<const MemoryUse*> ram_regions(const Topology& topology) {
  std::vector<const MemoryUse*> regions;
  for (const MemoryUse& use : topology.memory) {
    const bool is_constant = use.pool && topology[*use.pool].kind == graph::PoolKind::constant;
    if (topology.is_in_ram(use.device) && !is_constant) regions.push_back(&use);
  }
  return regions;
}

/// Bytes in use at a step, from the last entry at or before it.
std::uint64_t live_at(const MemoryUse& use, graph::Position position) {
  const auto next = std::ranges::upper_bound(use.live, position, {}, &graph::LiveBytes::position);
  return next == use.live.begin() ? 0 : std::prev(next)->bytes;
}

Count live_at(const std::vector<const MemoryUse*>& regions, graph::Position position) {
  Count sum;
  for (const MemoryUse* use : regions) {
    sum += to_count(graph::ByteCount{live_at(*use, position), use->exactness});
  }
  return sum;
}

/// The kernel's workspaces, region by region: in a pool, the bytes that they cover; elsewhere, the
/// end of the deepest allocation, because allocations nest.
Count scratch_of(const graph::Kernel& kernel) {
  if (!kernel.has_tir()) return Count::unknown();
  using RegionKey = std::pair<MemoryKind, std::uint32_t>;
  std::map<RegionKey, std::vector<graph::ByteRange>> by_region;
  bool is_known = kernel.gaps.empty();
  bool is_conditional = kernel.may_end_early;
  for (const graph::KernelBuffer& buffer : kernel.workspaces) {
    is_conditional = is_conditional || buffer.is_conditional;
    if (!buffer.bytes || !buffer.offset) {
      is_known = false;
      continue;
    }
    const std::uint32_t pool = buffer.pool ? index(*buffer.pool) : 0;
    by_region[{buffer.memory, pool}].push_back(
        {*buffer.offset, graph::sum_of(*buffer.offset, *buffer.bytes)});
  }
  std::uint64_t bytes = 0;
  for (const auto& [region, ranges] : by_region) {
    graph::Coverage coverage(ranges);
    for (const graph::ByteRange& range : ranges) coverage.add(range);
    bytes = graph::sum_of(bytes, coverage.bytes());
  }
  Count count = to_count(std::optional(bytes));
  if (is_conditional) count.min = 0;
  if (!is_known) count.max.reset();
  return count;
}

/// Bytes of constants that a call reads. A kernel in another compiler's C may have more.
Count parameters_of(const Topology& topology, const graph::Call& call) {
  const graph::Kernel& kernel = topology.kernel_of(call);
  Count sum = kernel.is_understood() ? Count{} : Count::unknown();
  for (const graph::KernelBuffer& constant : kernel.constants) sum += to_count(constant.bytes);
  std::set<graph::ValueId> counted;  // one constant may be two arguments
  for (const graph::Argument& argument : call.arguments) {
    if (!argument.reads || topology[*argument.reads].kind != graph::ValueKind::constant) continue;
    if (counted.insert(*argument.reads).second) sum += to_count(topology[*argument.reads].bytes);
  }
  if (kernel.may_end_early) sum.min = 0;
  return sum;
}

/// The role of a value in `call`.
LiveRole role_of(const graph::Call& call, graph::ValueId value) {
  bool reads = false;
  bool writes = false;
  for (const graph::Argument& argument : call.arguments) {
    reads = reads || argument.reads == value;
    writes = writes || argument.writes == value;
  }
  if (reads && writes) return LiveRole::in_out;
  if (writes) return LiveRole::output;
  return reads ? LiveRole::input : LiveRole::held;
}

}  // namespace

Count to_count(const graph::ByteCount& bytes) {
  switch (bytes.exactness) {
    case graph::Exactness::exact:
      return to_count(std::optional(bytes.bytes));
    case graph::Exactness::at_least:
      return {bytes.bytes, std::nullopt};
    case graph::Exactness::at_most:
      return {0, bytes.bytes};
    case graph::Exactness::unknown:
      break;
  }
  return Count::unknown();
}

// The largest number also represents all larger ones.
Count to_count(const std::optional<std::uint64_t>& bytes) {
  if (bytes && *bytes >= graph::kMostBytes) return {graph::kMostBytes, std::nullopt};
  return {bytes.value_or(0), bytes};
}

std::string_view to_string(LiveRole role) {
  return support::name_in({"input", "output", "in_out", "scratch", "held"}, role);
}

std::vector<LiveTensor> live_tensors(const Topology& topology, graph::CallId id) {
  const graph::Call& call = topology[id];
  const graph::Lifetimes lifetimes(topology);
  std::vector<LiveTensor> tensors;
  std::vector<LiveTensor> held;
  for (std::size_t i = 0; i < topology.values.size(); ++i) {
    const graph::Value& value = topology.values[i];
    const graph::Lifetime life = lifetimes.of(static_cast<graph::ValueId>(i));
    const std::int64_t position = call.position;
    const graph::Storage& storage = topology[value.storage];
    if (!is_in_ram(topology, storage) || life.from > position || life.to < position) continue;
    const auto value_id = static_cast<graph::ValueId>(i);
    const LiveRole role = role_of(call, value_id);
    // Generated C may not state the type of a tensor, but it allocates its memory.
    const auto bytes = value.bytes || storage.pool ? value.bytes : storage.bytes;
    (role == LiveRole::held ? held : tensors)
        .push_back({value.name, role, *storage.memory, storage.pool, value_id, bytes});
  }
  const graph::Kernel& kernel = topology.kernel_of(call);
  for (const graph::KernelBuffer& buffer : kernel.workspaces) {
    if (!topology.is_in_ram(kernel.device)) break;
    tensors.push_back(
        {buffer.name, LiveRole::scratch, buffer.memory, buffer.pool, {}, buffer.bytes});
  }
  tensors.insert(tensors.end(), held.begin(), held.end());
  return tensors;
}

std::vector<CallMemory> call_memory(const Topology& topology) {
  const std::vector<const MemoryUse*> regions = ram_regions(topology);
  std::vector<CallMemory> result;
  for (const graph::Call& call : topology.calls) {
    result.push_back({live_at(regions, call.position), scratch_of(topology.kernel_of(call)),
                      parameters_of(topology, call)});
  }
  return result;
}

RamPeak ram_peak(const Topology& topology) {
  RamPeak peak;
  const std::vector<const MemoryUse*> regions = ram_regions(topology);
  std::set<graph::Position> steps;  // at which any region changes
  for (const MemoryUse* use : regions) {
    peak.used += to_count(graph::ByteCount{use->used, use->exactness});
    for (const std::string& why : use->uncertain) support::add_once(peak.uncertain, why);
    for (const graph::LiveBytes& live : use->live) steps.insert(live.position);
  }
  // Uses upper bounds here: a board must have space for the largest possible number.
  std::uint64_t most = 0;
  std::optional<graph::Position> fullest;
  for (const graph::Position step : steps) {
    std::uint64_t bytes = 0;
    for (const MemoryUse* use : regions) bytes = graph::sum_of(bytes, live_at(*use, step));
    if (!fullest || bytes > most) {
      most = bytes;
      fullest = step;
    }
  }
  // Also if no memory is known to be in use: the regions show whether this is complete.
  peak.bytes = live_at(regions, fullest.value_or(0));
  if (!fullest) return peak;
  const auto call = std::ranges::find(topology.calls, *fullest, &graph::Call::position);
  if (call != topology.calls.end()) {
    peak.call = static_cast<graph::CallId>(call - topology.calls.begin());
  }
  return peak;
}

}  // namespace mlf::analysis
