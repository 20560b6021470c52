// Plans the memory of a network: its pools as allocation problems, its lower bound, another order
// of its calls, several memories, and a static plan for what it allocates while it runs. Threads:
// functions have no shared state; any number of threads may call them at once.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "graph/reconstruct.h"
#include "mlf/analysis/cost.h"
#include "mlf/graph/topology.h"
#include "mlf/plan/network_plan.h"
#include "plan/order/order.h"

namespace mlf::plan {

/// The most bytes that are live in one tick (NetworkProblem), with the calls in the order of the
/// archive. No placement of tensors and workspaces needs less, including placements that write a
/// result over an input: the smaller buffer of such a pair counts as shared. Ignores alignment.
struct LeastMemory {
  analysis::Count all;                   ///< pools, executor, heap and stack together
  std::vector<analysis::Count> pools{};  ///< by PoolId, each alone; 0 for pools of constants
};

/// `sources` are the TIR of the network. The result is never more than the peak of
/// graph::MemoryUse. If sizes, kernels or statements of main are unknown, it has no maximum.
LeastMemory least_memory(const graph::Topology& topology, std::span<const graph::TirInput> sources);

/// A constant of a kernel in a pool, and the ticks in which calls of the kernel read it. No plan
/// moves it; TVM's planner counts it.
struct KernelConstant {
  std::optional<std::uint64_t> bytes{};  ///< nothing: not known
  std::vector<Interval> live{};          ///< ascending
};

/// The workspace pools of a network, with one clock.
struct NetworkProblem {
  std::vector<PoolProblem> pools{};
  /// By position: its first tick; then the end of the last step. Values that exist before main are
  /// live from tick 0 on, which is before the first step.
  std::vector<std::int64_t> first_tick{};
  std::vector<KernelConstant> constants{};
  analysis::Count lower_bound{};  ///< LeastMemory::all
};

/// A power of two that divides the addresses of a pool's buffers, if stated.
struct PoolAlignment {
  std::string pool{};
  std::uint64_t bytes = 16;
};

/// Reads the pools from a network and its TIR.
///
/// A buffer extends to the last byte that kernels touch, which may be beyond its declared size. A
/// pool is refused, with the kernel and its place, unless two facts are proven: a kernel touches no
/// byte before the buffer's first one; and every byte that it reads belongs to an input or
/// constant, or was certainly written before, by this call or by the call whose result it reads.
///
/// Two buffers conflict unless the TIR shows that they are not live at the same time. A pool is
/// also refused if live buffers overlap in the archive's own plan, if offsets, sizes or lifetimes
/// are unknown, or if a function without TIR might keep its pointers.
///
/// `alignments` has the alignments that TVM used (`workspace-byte-alignment`, from the pool's array
/// in generated C). For other pools it is the largest power of two that divides all present
/// offsets. No buffer gets a smaller alignment than it has now, up to that.
NetworkProblem network_problem(const graph::Topology& topology,
                               std::span<const graph::TirInput> sources,
                               std::span<const PoolAlignment> alignments = {});

/// Plans every pool of `problem`. Deterministic unless `limits` end the search by time.
std::vector<PoolPlan> plan_pools(const NetworkProblem& problem, const SearchLimits& limits = {});

/// Returns the costs of all calls with workspaces in the pool, in execution order.
std::vector<ScratchCost> scratch_costs(const graph::Topology& topology,
                                       const NetworkProblem& network, const PoolProblem& pool);

/// Returns the order problem of a network: its steps, by position, as calls, and the storages in
/// its workspace pools as buffers. Two steps that access one storage, in any memory, keep their
/// order if one of them writes it. Copies, device hooks, and kernels without TIR or with calls of
/// unknown functions keep their place.
///
/// A storage that is written several times counts as live in between. Buffers have the sizes of
/// their pools' plans (`given`), which may be larger than declared.
OrderProblem order_problem(const graph::Topology& topology,
                           std::span<const graph::TirInput> sources,
                           std::span<const PoolPlan> given = {});

/// Returns the best order if its plans are smaller than `given`, the plans for the present order;
/// otherwise the present order with these plans. Returns nullopt if a pool is refused or there is
/// none.
std::optional<NetworkOrder> plan_order(const graph::Topology& topology,
                                       std::span<const graph::TirInput> sources,
                                       std::span<const PoolAlignment> alignments,
                                       std::span<const PoolPlan> given,
                                       const SearchLimits& limits = {});

/// What a network allocates while it runs: a tensor of main, or a workspace of a kernel in one
/// call.
struct Allocation {
  Buffer buffer{};
  std::optional<graph::ValueId> value{};    ///< of a tensor
  std::optional<graph::KernelId> kernel{};  ///< of a workspace
  std::string variable{};                   ///< of a workspace: its name in the kernel
};
struct Allocations {
  std::vector<Allocation> all{};
  std::vector<std::string> uncertain{};  ///< why there may be more, one sentence each
};
/// None after the unified static memory planner: everything is in pools. Excludes inputs and
/// outputs of the network, which are memory of the caller. Memory of a kernel is live during its
/// call.
Allocations allocations_of(const graph::Topology& topology);

/// The buffers of all workspace pools of a network, pool by pool, in the order of PoolProblem; of a
/// network without pools those that it allocates; with `constants` also the constants of main and
/// of kernels, which are always live. Accesses of calls come from the kernels' TIR
/// (analysis::kernel_cost), those of copies from their sizes. Includes inputs and outputs in pools.
/// Nothing if the size of one is not known.
std::optional<std::vector<AccessedBuffer>> accessed_buffers(
    const graph::Topology& topology, std::span<const graph::TirInput> sources,
    const NetworkProblem& problem, bool constants);

/// Fills `memories` one after the other, the fastest first, with the buffers in the order of
/// accesses for their size, each where it fits beside those that are live with it. A memory for
/// constants takes nothing else. The last memory that may have them takes the rest. Deterministic
/// unless `limits` end a search by time.
///
/// Throws `usage` without a memory for tensors, and the errors of `solve`.
PoolSplit split_pools(std::span<const AccessedBuffer> buffers,
                      std::span<const MemoryLimit> memories, const SearchLimits& limits = {});

/// Returns nullopt if main allocates nothing, as after the unified static memory planner. Excludes
/// inputs and outputs of the network, which are memory of the caller. Throws the errors of `solve`.
std::optional<StaticPlan> static_plan(const graph::Topology& topology,
                                      const SearchLimits& limits = {});

/// Returns a check for every workspace of a kernel that shares bytes with a tensor, or with another
/// workspace, while both are in use. `graph::reconstruct` checks tensors of main.
std::vector<graph::Check> overlapping_workspaces(const graph::Topology& topology,
                                                 std::span<const graph::TirInput> sources);

}  // namespace mlf::plan
