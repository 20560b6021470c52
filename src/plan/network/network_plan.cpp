#include "plan/network/network_problem.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>

#include "graph/network/memory_use.h"
#include "graph/node_queries.h"
#include "plan/allocator/tvm_planners.h"
#include "support/error.h"
#include "support/lookup.h"

namespace mlf::plan {
namespace {

// --- Plans with results in place -----------------------------------------------------------------

/// Connects each buffer with the one that overwrites it; each has at most one predecessor and one
/// successor. Returns, by buffer, the first of its chain.
std::vector<std::size_t> chains_of(const PoolProblem& pool) {
  std::vector<InPlaceBuffers> pairs = pool.in_place;
  std::ranges::stable_sort(pairs, std::ranges::greater{}, [&](const InPlaceBuffers& pair) {
    return std::min(pool.buffers[pair.from].bytes, pool.buffers[pair.to].bytes);
  });
  std::vector<std::optional<std::size_t>> before(pool.buffers.size());
  std::vector<bool> has_next(pool.buffers.size());
  for (const InPlaceBuffers& pair : pairs) {
    if (has_next[pair.from] || before[pair.to]) continue;
    has_next[pair.from] = true;
    before[pair.to] = pair.from;
  }
  std::vector<std::size_t> first(pool.buffers.size());
  for (std::size_t i = 0; i < first.size(); ++i) {
    first[i] = i;
    // Lifetimes in a chain are consecutive, so it has an end.
    while (before[first[i]]) first[i] = *before[first[i]];
  }
  return first;
}

/// A plan of the pool with each chain of pairs in `pool.in_place` as one buffer, chosen largest
/// first; nullopt if there are no pairs.
std::optional<PlannerResult> plan_in_place(const PoolProblem& pool, const SearchLimits& limits) {
  if (pool.in_place.empty()) return std::nullopt;
  const std::vector<std::size_t> first = chains_of(pool);
  Problem problem;
  std::vector<std::size_t> position(first.size());
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (first[i] != i) continue;
    position[i] = problem.buffers.size();
    problem.buffers.push_back(pool.problem.buffers[i]);
  }
  for (std::size_t i = 0; i < first.size(); ++i) {
    Buffer& chain = problem.buffers[position[first[i]]];
    const Buffer& link = pool.problem.buffers[i];
    chain.lower = std::min(chain.lower, link.lower);
    chain.upper = std::max(chain.upper, link.upper);
    // Both begin at one byte: element i of the result overwrites element i of the input.
    chain.size = std::max(chain.size, link.size);
    chain.alignment = std::max(chain.alignment, link.alignment);
  }
  const auto found = support::value_if_valid(solve(problem, limits));
  if (!found) return std::nullopt;
  PlannerResult result{.size = found->size};
  for (std::size_t i = 0; i < first.size(); ++i) {
    result.offsets.push_back(found->offsets[position[first[i]]]);
  }
  return result;
}

/// A lower bound of all plans, for any choice of pairs from `pool.in_place`.
std::uint64_t in_place_bound(const PoolProblem& pool) {
  // Changes of the live bytes, by tick.
  std::map<std::int64_t, std::int64_t> changes;
  for (const PlannedBuffer& buffer : pool.buffers) {
    for (const Interval& live : buffer.live) {
      changes[live.lower] += static_cast<std::int64_t>(buffer.bytes);
      changes[live.upper] -= static_cast<std::int64_t>(buffer.bytes);
    }
  }
  // A pair may share the bytes of its smaller buffer in the tick in which both are live.
  for (const InPlaceBuffers& pair : pool.in_place) {
    const PlannedBuffer& to = pool.buffers[pair.to];
    const auto shared =
        static_cast<std::int64_t>(std::min(pool.buffers[pair.from].bytes, to.bytes));
    const std::int64_t tick = to.live.front().lower;
    changes[tick] -= shared;
    changes[tick + 1] += shared;
  }
  std::int64_t alive = 0;
  std::int64_t most = 0;
  for (const auto& [tick, change] : changes) most = std::max(most, alive += change);
  return static_cast<std::uint64_t>(most);
}

/// The archive's own plan.
Solution own_plan(const PoolProblem& pool) {
  Solution solution;
  for (const PlannedBuffer& buffer : pool.buffers) solution.offsets.push_back(buffer.offset);
  solution.size = pool.used.value_or(0);  // nullopt only if the pool is refused
  return solution;
}

/// TVM aligns all buffers of a pool alike, so the smallest alignment here is common to all.
std::uint64_t alignment_of(const PoolProblem& pool) {
  std::uint64_t alignment = pool.buffers.empty() ? 1 : pool.buffers.front().alignment;
  for (const PlannedBuffer& buffer : pool.buffers) {
    alignment = std::min(alignment, buffer.alignment);
  }
  return alignment;
}

/// The result of a TVM planner for a pool. The alignment may be stated nowhere; then it is either
/// TVM's default or the common divisor of the offsets, and the result is nullopt if the two
/// disagree.
template <class Planner>
std::optional<PlannerResult> planned(const PoolProblem& pool, const Planner& planner) {
  const std::uint64_t alignment = alignment_of(pool);
  std::optional<PlannerResult> result = planner(alignment);
  if (!result || pool.is_alignment_stated || alignment <= kDefaultAlignment) return result;
  const std::optional<PlannerResult> other = planner(kDefaultAlignment);
  if (!other || other->size != result->size) result.reset();
  return result;
}

/// Runs the search, then the plans to compare it with: results in place, and TVM's planners.
PoolPlan plan_pool(const NetworkProblem& network, const PoolProblem& pool,
                   const SearchLimits& limits) {
  PoolPlan plan{.now = pool, .best = own_plan(pool)};
  if (plan.is_refused()) return plan;
  Result<Solution> found = solve(pool.problem, limits);
  if (!found) {
    support::throw_unless_invalid(found.error());
    plan.now.refused.push_back(found.error().message);
    return plan;
  }
  plan.best.lower_bound = found->lower_bound;
  plan.best.proven = found->proven && found->size >= plan.best.size;
  // Without a gain, nothing moves.
  if (found->size < plan.best.size) plan.best = *std::move(found);
  // A plan below the lower bound of plans without overwriting already has results over their
  // inputs.
  if (plan.best.size < plan.best.lower_bound) {
    plan.best.lower_bound = in_place_bound(pool);
    plan.best.proven = plan.best.size == plan.best.lower_bound;
  }
  plan.in_place = plan_in_place(pool, limits);
  if (plan.in_place && plan.in_place->size >= plan.best.size) plan.in_place.reset();
  if (const auto buffers = tvm_buffers(pool)) {
    plan.greedy_by_size =
        planned(pool, [&](std::uint64_t alignment) { return greedy_by_size(*buffers, alignment); });
    plan.greedy_by_conflicts = planned(
        pool, [&](std::uint64_t alignment) { return greedy_by_conflicts(*buffers, alignment); });
    const auto pressure = memory_pressure(pool, network.constants);
    plan.hill_climb = planned(pool, [&](std::uint64_t alignment) {
      return pressure ? hill_climb(*buffers, alignment, *pressure) : std::nullopt;
    });
  }
  return plan;
}

/// Live bytes at a tick, in all buffers except those of one kernel.
std::uint64_t alive_at(const PoolProblem& pool, std::int64_t tick,
                       std::optional<graph::KernelId> left_out) {
  std::uint64_t bytes = 0;
  for (const PlannedBuffer& buffer : pool.buffers) {
    if (left_out && buffer.kernel == left_out) continue;
    const auto next = std::ranges::upper_bound(buffer.live, tick, {}, &Interval::lower);
    if (next != buffer.live.begin() && tick < std::prev(next)->upper) bytes += buffer.bytes;
  }
  return bytes;
}

/// Bytes of a kernel's workspaces in the pool. The pool's buffers do not include a workspace
/// without a size.
std::optional<std::uint64_t> scratch_of(const graph::Kernel& kernel, graph::KernelId id,
                                        const PoolProblem& pool) {
  for (const graph::KernelBuffer& workspace : kernel.workspaces) {
    if (workspace.pool == pool.pool && !workspace.bytes) return std::nullopt;
  }
  std::uint64_t bytes = 0;
  for (const PlannedBuffer& buffer : pool.buffers) {
    if (buffer.kernel == id) bytes += buffer.bytes;
  }
  return bytes;
}

}  // namespace

std::uint64_t PoolPlan::gain() const {
  const auto before = now.declared ? now.declared : now.used;
  return before && *before > best.size ? *before - best.size : 0;
}

std::vector<PoolPlan> plan_pools(const NetworkProblem& problem, const SearchLimits& limits) {
  std::vector<PoolPlan> plans;
  for (const PoolProblem& pool : problem.pools) plans.push_back(plan_pool(problem, pool, limits));
  return plans;
}

std::vector<ScratchCost> scratch_costs(const graph::Topology& topology,
                                       const NetworkProblem& network, const PoolProblem& pool) {
  std::vector<ScratchCost> costs;
  for (std::size_t i = 0; i < topology.calls.size(); ++i) {
    const graph::Call& call = topology.calls[i];
    ScratchCost cost{.call = static_cast<graph::CallId>(i),
                     .scratch = scratch_of(topology.kernel_of(call), call.kernel, pool)};
    if (cost.scratch == 0u) continue;
    costs.push_back(cost);
    if (!pool.refused.empty()) continue;
    std::uint64_t peak = 0;
    std::uint64_t without = 0;
    for (std::int64_t tick = network.first_tick[call.position];
         tick < network.first_tick[call.position + 1]; ++tick) {
      peak = std::max(peak, alive_at(pool, tick, std::nullopt));
      without = std::max(without, alive_at(pool, tick, call.kernel));
    }
    costs.back().peak = peak;
    costs.back().without = without;
  }
  return costs;
}

namespace {

using graph::MemoryKind;
using graph::Topology;

// TVM's workspace-byte-alignment, and the alignment of TVMBackendAllocWorkspace on most boards.
constexpr std::uint64_t kAlignment = 16;

bool is_allocated(MemoryKind kind) {
  return kind == MemoryKind::executor || kind == MemoryKind::heap || kind == MemoryKind::stack;
}

/// Adds every value of main's allocations. One allocation may contain several values one after the
/// other; a plan may place them separately.
void add_values(const Topology& topology, Allocations& found) {
  const graph::Lifetimes lifetimes(topology);
  const auto steps = static_cast<std::int64_t>(topology.steps());
  for (std::size_t i = 0; i < topology.values.size(); ++i) {
    const graph::Value& value = topology.values[i];
    const graph::Storage& storage = topology[value.storage];
    if (!storage.memory || !is_allocated(*storage.memory) || !topology.is_in_ram(storage.device))
      continue;
    const auto bytes = value.bytes ? value.bytes : storage.bytes;
    if (!bytes) {
      found.uncertain.push_back("the size of " + graph::quoted(value.name) + " is not known");
      continue;
    }
    const graph::Lifetime life = lifetimes.of(static_cast<graph::ValueId>(i));
    found.all.push_back({.buffer = {.id = value.name,
                                    .lower = std::max<std::int64_t>(life.from, -1),
                                    .upper = std::min(life.to, steps) + 1,
                                    .size = *bytes,
                                    .alignment = kAlignment},
                         .value = graph::ValueId{static_cast<std::uint32_t>(i)}});
  }
}

/// A kernel's workspaces are live during its whole call: this function does not look into the
/// kernel.
void add_workspaces(const Topology& topology, Allocations& found) {
  // For all calls together; real networks have far fewer.
  constexpr std::size_t kMaxWorkspaces = 1'000'000;
  for (const graph::Call& call : topology.calls) {
    const graph::Kernel& kernel = topology.kernel_of(call);
    for (const graph::KernelBuffer& buffer : kernel.workspaces) {
      const bool is_placed = is_allocated(buffer.memory) && topology.is_in_ram(kernel.device);
      if (!is_placed || !buffer.bytes) continue;
      if (found.all.size() >= kMaxWorkspaces) {
        found.uncertain.emplace_back("there are too many calls to count them");
        return;
      }
      found.all.push_back({.buffer = {.id = kernel.symbol + "." + buffer.name,
                                      .lower = call.position,
                                      .upper = std::int64_t{call.position} + 1,
                                      .size = *buffer.bytes,
                                      .alignment = kAlignment},
                           .kernel = call.kernel,
                           .variable = buffer.name});
    }
  }
}

/// Adds the memory that the network takes now: the separate peak of each kind of memory.
void add_present(const Topology& topology, StaticPlan& plan) {
  // What has an unknown device is in RAM of the program.
  const graph::MemoryTotals totals = graph::memory_totals(topology, std::nullopt);
  plan.executor = totals.executor.bytes;
  plan.heap = totals.heap.bytes;
  plan.stack = totals.stack.bytes;
  for (const graph::MemoryUse& use : topology.memory) {
    if (!is_allocated(use.kind) || !topology.is_in_ram(use.device)) continue;
    for (const std::string& why : use.uncertain) support::add_once(plan.uncertain, why);
  }
}

}  // namespace

Allocations allocations_of(const Topology& topology) {
  Allocations found;
  add_values(topology, found);
  if (!found.all.empty()) add_workspaces(topology, found);
  return found;
}

std::optional<StaticPlan> static_plan(const Topology& topology, const SearchLimits& limits) {
  Allocations found = allocations_of(topology);
  // After USMP, main has no allocations, and TVM has already planned its pools.
  if (found.all.empty()) return std::nullopt;
  StaticPlan plan{.uncertain = std::move(found.uncertain)};
  add_present(topology, plan);
  Problem problem;
  for (const Allocation& one : found.all) {
    if (!one.kernel) problem.buffers.push_back(one.buffer);
  }
  plan.main = support::get_or_throw(solve(problem, limits));
  for (const Allocation& one : found.all) {
    if (one.kernel) problem.buffers.push_back(one.buffer);
  }
  plan.with_kernels = support::get_or_throw(solve(problem, limits));
  return plan;
}

}  // namespace mlf::plan
