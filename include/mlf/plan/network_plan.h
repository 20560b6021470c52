// The memory pools of a built network as problems of allocation, and what a better plan gives.
// Threads: plain values; functions have no shared state and may be called from any number of
// threads.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mlf/analysis/count.h"
#include "mlf/export.h"
#include "mlf/graph/reconstruct.h"
#include "mlf/graph/topology.h"
#include "mlf/plan/problem.h"

namespace mlf::plan {

/// A buffer of a pool: a let of main or of a kernel, `sid_3_let = address_of(pool[offset])`. It can
/// be moved by changing that one offset.
struct PlannedBuffer {
  std::string source{};    ///< stem of the TIR that has the let; empty: not known
  std::string function{};  ///< the PrimFunc with the let, by its name in the TIR: main or a kernel
  std::string variable{};  ///< the let: "sid_3_let", "pad_temp_let"
  graph::PoolId pool{};
  std::uint64_t offset = 0;  ///< in the archive's own plan, in bytes
  std::uint64_t bytes = 0;
  std::uint64_t alignment = 1;                ///< that a new offset has to have
  std::optional<graph::StorageId> storage{};  ///< of a tensor of main
  std::optional<graph::KernelId> kernel{};    ///< of scratch
  std::size_t workspace = 0;                  ///< of scratch: index in Kernel::workspaces
  /// An input or output of the network: the application knows where it is, so it stays there.
  bool is_port = false;
  /// When something is in it, in ticks; ascending, none empty, no two overlap.
  std::vector<Interval> live{};
};

/// The name of a buffer for people and in Problem: "sid_3_let", "fused_add.pad_temp_let".
MLF_API std::string name_of(const graph::Topology& topology, const PlannedBuffer& buffer);

/// A result that may be written over what it is computed from: its kernel reads each element before
/// it writes the one in its place, and never again. No plan of `solve` makes use of it.
struct InPlaceBuffers {
  graph::CallId call{};
  std::size_t from = 0;  ///< indices in PoolProblem::buffers
  std::size_t to = 0;
};

/// One workspace pool of a network.
struct PoolProblem {
  graph::PoolId pool{};
  std::optional<std::uint64_t> declared{};  ///< the pool's size in the archive
  /// No placement for this order of calls needs less (LeastMemory).
  analysis::Count lower_bound{};
  /// End of the last byte of any buffer here; nothing where place or size of one is not known.
  std::optional<std::uint64_t> used{};
  /// Whether the archive states the alignment; else that of `buffers` is what their offsets share.
  bool is_alignment_stated = false;
  std::vector<PlannedBuffer> buffers{};    ///< main's in the order of Topology::storages, scratch
  Problem problem{};                       ///< the same buffers in the same order
  std::vector<InPlaceBuffers> in_place{};  ///< in the order of the calls
  /// Why nobody may move these buffers, one sentence each; none: they may be moved.
  std::vector<std::string> refused{};
};

/// A constant of a kernel in a pool, and when calls of the kernel read it. No plan moves it; TVM's
/// planner counts it.
struct KernelConstant {
  std::optional<std::uint64_t> bytes{};  ///< nothing: not known
  std::vector<Interval> live{};          ///< ascending
};

/// The workspace pools of a network, with one clock.
///
/// Time is counted in ticks. A step of main (Position) is one tick or more: a kernel with TIR has
/// one for each statement that its body runs one after the other. So a kernel that has read all of
/// an input before it writes its output does not need both at once, as TVM's planner knows too
/// (src/tir/usmp/analysis/extract_buffer_info.cc). What follows from that is the same as under
/// TVM's planners: within one call of a kernel a byte may hold elements of one type and then of
/// another.
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
/// held against that: where it puts one buffer over another that is alive then, the pool is
/// refused. So it is where offsets, sizes or lifetimes are not known, and where a function without
/// TIR might keep the pointers that it is given.
///
/// `alignments` gives the alignment that TVM was told (`workspace-byte-alignment`, which the
/// generated C says of the pool's array). Of other pools it is the largest power of two that all
/// present offsets are multiples of. No buffer keeps less than it has now, up to that.
MLF_API NetworkProblem network_problem(const graph::Topology& topology,
                                       std::span<const graph::TirInput> sources,
                                       std::span<const PoolAlignment> alignments = {});

/// What a planner makes of a pool.
struct PlannerResult {
  std::vector<std::uint64_t> offsets{};  ///< by buffer
  std::uint64_t size = 0;                ///< bytes of the pool
};

/// One pool: now, and as it could be.
struct PoolPlan {
  PoolProblem now{};
  /// No larger than `now.used`; its bound is that of plans without results in place. Of a pool that
  /// is refused only its offsets, the present ones, mean anything.
  Solution best{};
  /// What TVM's own planners make of the same buffers and lifetimes (src/tir/usmp/algo/greedy.cc);
  /// nothing for pools that are refused or too large to be a network's.
  std::optional<PlannerResult> greedy_by_size{};
  std::optional<PlannerResult> greedy_by_conflicts{};
  /// The same of src/tir/usmp/algo/hill_climb.cc, as v0.10 and later have it.
  std::optional<PlannerResult> hill_climb{};
  /// The best plan where results are written over what they are computed from: those of
  /// `now.in_place` that go together, the largest first. Nothing where it is not smaller than
  /// `best`.
  std::optional<PlannerResult> in_place{};

  bool is_refused() const { return !now.refused.empty(); }
  /// Bytes that the best plan saves: of what the archive declares, else of what it uses.
  MLF_API std::uint64_t gain() const;
};

/// What the workspaces of one call cost.
struct ScratchCost {
  graph::CallId call{};
  /// Bytes of its workspaces in the pool; nothing where one of them has no size.
  std::optional<std::uint64_t> scratch{};
  /// Bytes alive at its fullest tick, as lifetimes are, and the same without the workspaces.
  /// Nothing where the pool is refused: lifetimes are not known then.
  std::optional<std::uint64_t> peak{};
  std::optional<std::uint64_t> without{};
};

/// Plans every pool of `problem`. Deterministic unless `limits` end the search by time.
MLF_API std::vector<PoolPlan> plan_pools(const NetworkProblem& problem,
                                         const SearchLimits& limits = {});

/// Of all calls with workspaces in the pool, in the order of execution.
MLF_API std::vector<ScratchCost> scratch_costs(const graph::Topology& topology,
                                               const NetworkProblem& network,
                                               const PoolProblem& pool);

}  // namespace mlf::plan
