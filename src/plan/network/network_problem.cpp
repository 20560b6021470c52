// The clock of a network, its pools, and the buffers of each as a problem of allocation.
#include <algorithm>
#include <bit>
#include <map>
#include <string_view>
#include <utility>

#include "graph/kernels/kernel_code.h"
#include "plan/allocator/tvm_planners.h"
#include "plan/network/network_problem.h"
#include "plan/network/network_reader.h"
#include "support/lookup.h"

namespace mlf::plan {
namespace {

using graph::Call;
using graph::Kernel;
using graph::PoolId;
using graph::Topology;

// At most 2^20: no larger alignment of addresses is known.
std::uint64_t alignment_of_offset(std::uint64_t offset) {
  constexpr int kMost = 20;
  return std::uint64_t{1} << (offset == 0 ? kMost : std::min(std::countr_zero(offset), kMost));
}

}  // namespace

void NetworkReader::read_kernels(const std::vector<std::optional<KernelTicks>>& ticks) {
  for (const std::optional<KernelTicks>& of_kernel : ticks) {
    kernels_.push_back({.ticks = of_kernel, .accesses = {}, .first_of_calls = {}});
  }
  steps_ = clock_of(topology_, ticks);
  for (const Call& call : topology_.calls) {
    kernels_[index(call.kernel)].first_of_calls.push_back(steps_[call.position]);
  }
}

/// Constants keep their offsets, at which the archive contains their bytes.
void NetworkReader::find_pools() {
  for (std::size_t i = 0; i < topology_.pools.size(); ++i) {
    const graph::Pool& pool = topology_.pools[i];
    if (pool.kind != graph::PoolKind::workspace) continue;
    result_.pools.push_back({.pool = static_cast<PoolId>(i), .declared = pool.bytes, .used = 0});
  }
}

PoolProblem* NetworkReader::problem_of(std::optional<PoolId> pool) {
  const auto at = std::ranges::find_if(
      result_.pools, [&](const PoolProblem& problem) { return problem.pool == pool; });
  return at == result_.pools.end() ? nullptr : &*at;
}

/// Determines alignments and the extent of the buffers, and makes the buffers a problem for the
/// allocator.
void NetworkReader::finish(PoolProblem& pool, std::span<const PoolAlignment> alignments) const {
  // TVM's alignment divides all offsets, so the largest common divisor of the offsets is
  // sufficient. With less than TVM's default, elements would not be aligned.
  std::uint64_t stated = alignment_of_offset(0);
  for (const PlannedBuffer& buffer : pool.buffers) {
    stated = std::min(stated, alignment_of_offset(buffer.offset));
  }
  for (const PoolAlignment& alignment : alignments) {
    if (alignment.pool != topology_[pool.pool].name) continue;
    stated = std::min(stated, alignment.bytes);
    pool.is_alignment_stated = true;
  }
  stated = std::max(stated, kDefaultAlignment);
  for (PlannedBuffer& buffer : pool.buffers) {
    buffer.alignment = std::min(stated, alignment_of_offset(buffer.offset));
    if (pool.used) pool.used = std::max(*pool.used, end_of(buffer));
    Buffer plain{.id = name_of(topology_, buffer),
                 .lower = buffer.live.front().lower,
                 .upper = buffer.live.back().upper,
                 .size = buffer.bytes,
                 .alignment = buffer.alignment};
    for (std::size_t i = 1; i < buffer.live.size(); ++i) {
      const Interval gap{buffer.live[i - 1].upper, buffer.live[i].lower};
      if (gap.lower < gap.upper) plain.gaps.push_back(gap);
    }
    // The caller may know the address of an input or output, so it keeps its offset.
    if (buffer.is_port) plain.fixed_offset = buffer.offset;
    pool.problem.buffers.push_back(std::move(plain));
  }
  if (pool.declared && pool.used && *pool.used > *pool.declared)
    refuse(pool, "buffers reach beyond the pool");
}

std::vector<PoolProblem> NetworkReader::placed(
    const std::vector<std::optional<KernelTicks>>& ticks) {
  read_kernels(ticks);
  find_pools();
  reaches_.resize(topology_.storages.size());
  add_storages();
  for (std::size_t i = 0; i < topology_.kernels.size(); ++i) {
    add_workspaces(static_cast<graph::KernelId>(i));
  }
  return std::move(result_.pools);
}

/// Buffers come before pairs of buffers, and both come before the alignment, which depends on all
/// offsets of a pool.
NetworkProblem NetworkReader::run(std::span<const PoolAlignment> alignments) {
  read_kernels(ticks_of_kernels(topology_, sources_));
  const auto codes = code_of_kernels(topology_, sources_);
  for (std::size_t i = 0; i < codes.size(); ++i) {
    if (codes[i] != nullptr) kernels_[i].accesses = analysis::accesses_of(*codes[i]);
  }
  find_pools();
  check_network();
  read_accesses();
  add_storages();
  for (std::size_t i = 0; i < topology_.kernels.size(); ++i) {
    add_workspaces(static_cast<graph::KernelId>(i));
    add_constants(static_cast<graph::KernelId>(i));
  }
  for (std::size_t i = 0; i < topology_.calls.size(); ++i) {
    find_in_place(static_cast<graph::CallId>(i));
  }
  for (PoolProblem& pool : result_.pools) finish(pool, alignments);
  result_.first_tick = std::move(steps_);
  return std::move(result_);
}

std::string name_of(const Topology& topology, const PlannedBuffer& buffer) {
  if (!buffer.kernel) return buffer.variable;
  return topology.kernels[index(*buffer.kernel)].symbol + "." + buffer.variable;
}

// Looks functions up by source and name: several TIR sources may have a function of one name.
std::vector<const graph::KernelCode*> code_of_kernels(const Topology& topology,
                                                      std::span<const graph::TirInput> sources) {
  std::map<std::string_view, const graph::DocumentCode*> by_stem;
  for (const graph::TirInput& source : sources) by_stem.emplace(source.stem, source.code.get());
  std::vector<const graph::KernelCode*> found;
  for (const Kernel& kernel : topology.kernels) {
    found.push_back(nullptr);
    const auto source = by_stem.find(kernel.source);
    if (!kernel.has_tir() || source == by_stem.end()) continue;
    const tir::Node function = source->second->find(kernel.function);
    if (function) found.back() = &source->second->code_of(function);
  }
  return found;
}

std::vector<std::optional<KernelTicks>> ticks_of_kernels(const Topology& topology,
                                                         std::span<const graph::TirInput> sources) {
  std::vector<std::optional<KernelTicks>> ticks;
  for (const graph::KernelCode* const code : code_of_kernels(topology, sources)) {
    ticks.emplace_back();
    if (code != nullptr) ticks.back() = kernel_ticks(*code);
  }
  return ticks;
}

// One clock for all pools: the steps of main in order, each with as many ticks as its kernel has.
// Tick 0 is before main. A copy or device hook takes one tick.
std::vector<std::int64_t> clock_of(const Topology& topology,
                                   const std::vector<std::optional<KernelTicks>>& ticks) {
  std::vector<std::int64_t> lengths(topology.steps(), 1);
  for (const Call& call : topology.calls) {
    const std::optional<KernelTicks>& of_kernel = ticks[index(call.kernel)];
    if (of_kernel) lengths[call.position] = of_kernel->count;
  }
  std::vector<std::int64_t> clock;
  std::int64_t now = 1;
  for (const std::int64_t length : lengths) {
    clock.push_back(now);
    now += length;
  }
  clock.push_back(now);
  return clock;
}

NetworkProblem read_network(const Topology& topology, std::span<const graph::TirInput> sources,
                            std::span<const PoolAlignment> alignments) {
  return NetworkReader(topology, sources).run(alignments);
}

NetworkProblem network_problem(const Topology& topology, std::span<const graph::TirInput> sources,
                               std::span<const PoolAlignment> alignments) {
  NetworkProblem problem = read_network(topology, sources, alignments);
  const LeastMemory least = least_memory(topology, sources);
  for (PoolProblem& pool : problem.pools) {
    check_own_plan(topology, pool);
    pool.lower_bound = least.pools[index(pool.pool)];
  }
  problem.lower_bound = least.all;
  return problem;
}

}  // namespace mlf::plan
