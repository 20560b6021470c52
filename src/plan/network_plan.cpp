#include "mlf/plan/network_plan.h"

#include <algorithm>

#include "plan/in_place_plan.h"
#include "plan/tvm_planners.h"
#include "support/error.h"

namespace mlf::plan {
namespace {

/// The archive's own plan.
Solution own_plan(const PoolProblem& pool) {
  Solution solution;
  for (const PlannedBuffer& buffer : pool.buffers) solution.offsets.push_back(buffer.offset);
  solution.size = pool.used.value_or(0);  // nothing only where the pool is refused
  return solution;
}

/// TVM aligns all buffers of a pool alike; of those here the least is what all of them have.
std::uint64_t alignment_of(const PoolProblem& pool) {
  std::uint64_t alignment = pool.buffers.empty() ? 1 : pool.buffers.front().alignment;
  for (const PlannedBuffer& buffer : pool.buffers) {
    alignment = std::min(alignment, buffer.alignment);
  }
  return alignment;
}

/// What a planner of TVM gives for a pool; nothing where it depends on an alignment that is stated
/// nowhere: either TVM's default, or what the offsets have in common.
template <class Planner>
std::optional<PlannerResult> planned(const PoolProblem& pool, const Planner& planner) {
  const std::uint64_t alignment = alignment_of(pool);
  std::optional<PlannerResult> result = planner(alignment);
  if (!result || pool.is_alignment_stated || alignment <= kDefaultAlignment) return result;
  const std::optional<PlannerResult> other = planner(kDefaultAlignment);
  if (!other || other->size != result->size) result.reset();
  return result;
}

/// The search first, then what it is measured by: results in place, and TVM's planners.
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
  // Nothing moves where nothing is won.
  if (found->size < plan.best.size) plan.best = *std::move(found);
  // Only a plan that has results over their inputs already is below the bound of those that have
  // not.
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

/// Bytes alive by tick, in all buffers but those that `leave_out` names.
template <class LeaveOut>
std::uint64_t alive_at(const PoolProblem& pool, std::int64_t tick, LeaveOut leave_out) {
  std::uint64_t bytes = 0;
  for (const PlannedBuffer& buffer : pool.buffers) {
    if (leave_out(buffer)) continue;
    const auto next = std::ranges::upper_bound(buffer.live, tick, {}, &Interval::lower);
    if (next != buffer.live.begin() && tick < std::prev(next)->upper) bytes += buffer.bytes;
  }
  return bytes;
}

/// Bytes of a kernel's workspaces in the pool. A workspace without a size is not among its buffers.
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
    const auto is_its_own = [&](const PlannedBuffer& buffer) {
      return buffer.kernel == call.kernel;
    };
    ScratchCost cost{.call = static_cast<graph::CallId>(i),
                     .scratch = scratch_of(topology.kernel_of(call), call.kernel, pool)};
    if (cost.scratch == 0u) continue;
    costs.push_back(cost);
    if (!pool.refused.empty()) continue;
    std::uint64_t peak = 0;
    std::uint64_t without = 0;
    for (std::int64_t tick = network.first_tick[call.position];
         tick < network.first_tick[call.position + 1]; ++tick) {
      const auto nothing = [](const PlannedBuffer&) { return false; };
      peak = std::max(peak, alive_at(pool, tick, nothing));
      without = std::max(without, alive_at(pool, tick, is_its_own));
    }
    costs.back().peak = peak;
    costs.back().without = without;
  }
  return costs;
}

}  // namespace mlf::plan
