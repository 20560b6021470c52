// What plans of a network's memory say: its pools and buffers now, where they could be, an order of
// calls that needs less, pools in several memories, and a plan for what it allocates while it runs.
// `plan_archive` of plan.h makes them.
//
// Time is counted in ticks. A step of main (Position) is one tick or more: a kernel with TIR has
// one for each statement that its body runs one after the other. So a kernel that has read all of
// an input before it writes its output does not need both at once, as TVM's planner knows too
// (src/tir/usmp/analysis/extract_buffer_info.cc). What follows from that is the same as under
// TVM's planners: within one call of a kernel a byte may hold elements of one type and then of
// another.
//
// Threads: plain values; functions have no shared state and may be called from any number of
// threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mlf/analysis/cost.h"
#include "mlf/export.h"
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
  /// No placement for this order of calls needs less, wherever tensors are.
  analysis::Count lower_bound{};
  /// End of the last byte of any buffer here; nothing where place or size of one is not known.
  std::optional<std::uint64_t> used{};
  /// Whether the archive states the alignment; else that of `buffers` is what their offsets share.
  bool is_alignment_stated = false;
  std::vector<PlannedBuffer> buffers{};    ///< main's in the order of Topology::storages, scratch
  Problem problem{};                       ///< the same buffers in the same order
  std::vector<InPlaceBuffers> in_place{};  ///< in the order of the calls
  /// Why mlf does not move these buffers, one sentence each; none: they may be moved.
  std::vector<std::string> refused{};
};

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

struct CallOrder {
  std::vector<std::size_t> calls{};  ///< each once, in the order in which they are to run
  /// The most bytes alive in one tick; nothing, as the two below, where there are too many calls.
  std::optional<std::uint64_t> peak{};
  std::optional<std::uint64_t> given_peak{};   ///< the same of the order that was given
  std::optional<std::uint64_t> lower_bound{};  ///< no allowed order has a lower peak
  bool proven = false;                         ///< peak == lower_bound
  std::string not_searched{};                  ///< why no other order was looked for; empty: it was

  /// Whether any call has another place than it was given.
  MLF_API bool changes() const;
};

/// Another order of a network's calls, and plans of its pools for that order.
struct NetworkOrder {
  /// Bytes alive in all workspace pools together; `calls` are positions of steps.
  CallOrder order{};
  std::vector<graph::CallId> calls{};  ///< as they would run
  std::vector<Solution> pools{};       ///< of the new order, as the pools of the network

  bool changes() const { return order.changes(); }
};

/// A memory of the board.
struct MemoryLimit {
  std::string name;
  std::uint64_t bytes = 0;  ///< that pools may take of it
};

/// A buffer, and what is read and written in it while the network runs once.
struct AccessedBuffer {
  Buffer buffer;             ///< not fixed
  analysis::Count accessed;  ///< bytes loaded and stored, those of all calls
};

/// Where a buffer goes.
struct SplitPlace {
  std::size_t memory = 0;  ///< index in PoolSplit::memories
  std::uint64_t offset = 0;
};

/// One memory and what is put into it.
struct SplitMemory {
  MemoryLimit limit;
  std::uint64_t size = 0;    ///< end of the last byte that a buffer has
  std::size_t buffers = 0;   ///< so many of them
  analysis::Count accessed;  ///< bytes loaded from and stored to its buffers
};

struct PoolSplit {
  std::vector<SplitMemory> memories;  ///< as they were given
  std::vector<SplitPlace> places;     ///< by buffer
  /// In no split are more bytes accessed in the first memory for certain (the `min` of a Count).
  std::uint64_t most_in_first = 0;
  bool fits = true;  ///< each memory is within its limit; only the last one may be not
};

/// A network without a planned pool for what it computes: main allocates on the heap, the graph
/// executor has storages, and kernels have heap and stack.
struct StaticPlan {
  // What these take now, in bytes at the fullest moment of each (graph::MemoryUse::used).
  std::uint64_t executor = 0;
  std::uint64_t heap = 0;
  std::uint64_t stack = 0;
  /// One pool with every value of main at a place of its own choice; kernels' memory as it is.
  Solution main{};
  /// The same pool with the kernels' workspaces too, each alive during the whole call.
  Solution with_kernels{};
  std::vector<std::string> uncertain{};  ///< why it may be more, one sentence each

  std::uint64_t now() const { return executor + heap + stack; }
};

}  // namespace mlf::plan
