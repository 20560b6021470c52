// How the memory of a network is planned: its pools as problems of allocation, the least that it
// needs, another order of its calls, several memories, and what it allocates while it runs.
// Threads: functions have no shared state; any number of threads may call them at once.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "graph/reconstruct.h"
#include "mlf/analysis/cost.h"
#include "mlf/diagnostics.h"
#include "mlf/graph/topology.h"
#include "mlf/plan/network_plan.h"
#include "plan/order.h"

namespace mlf::plan {

/// The bytes that are alive at the fullest tick (NetworkProblem), with the calls in the order of
/// the archive. No placement of tensors and workspaces needs less. This also holds for placements
/// that write a result over its operand: of such a pair, the smaller one counts as shared.
/// Alignment does not count.
struct LeastMemory {
  analysis::Count all;                   ///< pools, executor, heap and stack together
  std::vector<analysis::Count> pools{};  ///< by PoolId, each alone; 0 for pools of constants
};

/// `sources` are the TIR that the network was read off. Never more than what is alive at the peak
/// of graph::MemoryUse. Where sizes, kernels or statements of main are not known, the number has
/// no maximum.
LeastMemory least_memory(const graph::Topology& topology, std::span<const graph::TirInput> sources);

/// A constant of a kernel in a pool, and when calls of the kernel read it. No plan moves it; TVM's
/// planner counts it.
struct KernelConstant {
  std::optional<std::uint64_t> bytes{};  ///< nothing: not known
  std::vector<Interval> live{};          ///< ascending
};

/// The workspace pools of a network, with one clock.
struct NetworkProblem {
  std::vector<PoolProblem> pools{};
  /// By position: its first tick; then the end of the last step. What is there before main is there
  /// from tick 0 on, which is before the first step.
  std::vector<std::int64_t> first_tick{};
  std::vector<KernelConstant> constants{};
  analysis::Count lower_bound{};  ///< LeastMemory::all
};

/// A power of two that the addresses of a pool's buffers are multiples of, where that is stated.
struct PoolAlignment {
  std::string pool{};
  std::uint64_t bytes = 16;
};

/// Reads the pools off a network and the TIR that it was read off.
///
/// A buffer is as long as kernels touch it, which may be more than is declared. That all of it can
/// be moved is proven: every byte that a kernel touches lies behind the buffer's first one, and
/// every byte that it reads is one of an input or constant, or was certainly written before, by
/// this call or by the one whose result it takes. A pool of which that cannot be shown is refused,
/// with the kernel and its place.
///
/// Two buffers are alive together unless the TIR shows that they are not. The archive's own plan is
/// compared with that: where it puts one buffer over another that is alive then, the pool is
/// refused. So it is where offsets, sizes or lifetimes are not known, and where a function without
/// TIR might keep the pointers that it is given.
///
/// `alignments` gives the alignment that TVM was told (`workspace-byte-alignment`, which the
/// generated C says of the pool's array). Of other pools it is the largest power of two that all
/// present offsets are multiples of. No buffer keeps less than it has now, up to that.
NetworkProblem network_problem(const graph::Topology& topology,
                               std::span<const graph::TirInput> sources,
                               std::span<const PoolAlignment> alignments = {});

/// Plans every pool of `problem`. Deterministic unless `limits` end the search by time.
std::vector<PoolPlan> plan_pools(const NetworkProblem& problem, const SearchLimits& limits = {});

/// Of all calls with workspaces in the pool, in the order of execution.
std::vector<ScratchCost> scratch_costs(const graph::Topology& topology,
                                       const NetworkProblem& network, const PoolProblem& pool);

/// The steps of a network, by position, as calls to be put into order, and the storages in its
/// workspace pools as buffers. Two steps that touch one storage, of whatever memory, keep their
/// order if one of them writes it. Copies, device hooks, and kernels without TIR or with calls of
/// unknown functions keep their place.
///
/// A storage that is written several times counts as alive in between. Buffers are as large as the
/// plans of their pools have them (`given`), which may be more than is declared.
OrderProblem order_problem(const graph::Topology& topology,
                           std::span<const graph::TirInput> sources,
                           std::span<const PoolPlan> given = {});

/// The best order, if plans for it are smaller than `given`, those for the order there is;
/// otherwise the order there is with those plans. Nothing where a pool may not be planned or there
/// is none.
std::optional<NetworkOrder> plan_order(const graph::Topology& topology,
                                       std::span<const graph::TirInput> sources,
                                       std::span<const PoolAlignment> alignments,
                                       std::span<const PoolPlan> given,
                                       const SearchLimits& limits = {});

/// The buffers of all workspace pools of a network: pool by pool, in the order of PoolProblem.
/// What calls access is worked out of the kernels' TIR (analysis::kernel_cost), and what copies do
/// of their sizes. An input or output that has its place in a pool is one of them.
std::vector<AccessedBuffer> accessed_buffers(const graph::Topology& topology,
                                             std::span<const graph::TirInput> sources,
                                             const NetworkProblem& problem);

/// Fills `memories` one after the other, the fastest first: those buffers first that are accessed
/// most for their size, each where it fits beside those that are there at the same time. The last
/// memory takes what is left. Deterministic unless `limits` end a search by time.
///
/// Errors: `usage` without a memory; those of `solve`.
Result<PoolSplit> split_pools(std::span<const AccessedBuffer> buffers,
                              std::span<const MemoryLimit> memories,
                              const SearchLimits& limits = {});

/// Nothing where main allocates nothing, as after the unified static memory planner. Outputs of the
/// network and inputs are memory of the caller and not part of it. Errors: those of `solve`.
Result<std::optional<StaticPlan>> static_plan(const graph::Topology& topology,
                                              const SearchLimits& limits = {});

/// A check for every workspace of a kernel that shares bytes with a tensor, or with another
/// workspace, while both are in use. Tensors of main alone are for `graph::reconstruct` to check.
std::vector<graph::Check> overlapping_workspaces(const graph::Topology& topology,
                                                 std::span<const graph::TirInput> sources);

}  // namespace mlf::plan
