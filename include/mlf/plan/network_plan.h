// Plans of a network's memory: its pools and buffers now, better offsets, an order of calls that
// needs less, pools in several memories, and a static plan for what it allocates while it runs.
// `plan_archive` of plan.h makes them.
//
// Time is counted in ticks. A step of main (Position) is one tick or more: a kernel with TIR has
// one tick for each statement that its body runs in sequence. So a kernel that has read all of an
// input before it writes its output does not need both at once, as in TVM's planner
// (src/tir/usmp/analysis/extract_buffer_info.cc). As with TVM's planners, a byte may therefore hold
// elements of two types within one call of a kernel, one after the other.
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

/// A buffer of a pool: a let of main or of a kernel, `sid_3_let = address_of(pool[offset])`.
/// Changing this offset moves it.
struct PlannedBuffer {
  std::string source{};    ///< stem of the TIR that has the let; empty: not known
  std::string function{};  ///< the PrimFunc with the let, by its name in the TIR: main or a kernel
  std::string variable{};  ///< the let: "sid_3_let", "pad_temp_let"
  graph::PoolId pool{};
  std::uint64_t offset = 0;  ///< in the archive's own plan, in bytes
  std::uint64_t bytes = 0;
  std::uint64_t alignment = 1;                ///< that a new offset must have
  std::optional<graph::StorageId> storage{};  ///< of a tensor of main
  std::optional<graph::KernelId> kernel{};    ///< of scratch
  std::size_t workspace = 0;                  ///< of scratch: index in Kernel::workspaces
  /// Whether it is an input or output of the network. These do not move, as the application knows
  /// their offsets.
  bool is_port = false;
  /// The ticks in which it is live: ascending intervals, none empty, no two overlapping.
  std::vector<Interval> live{};
};

/// The name of a buffer for people and in Problem: "sid_3_let", "fused_add.pad_temp_let".
MLF_API std::string name_of(const graph::Topology& topology, const PlannedBuffer& buffer);

/// A result that may be written over an input: its kernel reads each element of the input before it
/// writes the result's element in its place, and does not read it again. `solve` does not use this.
struct InPlaceBuffers {
  graph::CallId call{};
  std::size_t from = 0;  ///< indices in PoolProblem::buffers
  std::size_t to = 0;
};

/// One workspace pool of a network.
struct PoolProblem {
  graph::PoolId pool{};
  std::optional<std::uint64_t> declared{};  ///< the pool's size in the archive
  /// No placement of tensors needs less for this order of calls.
  analysis::Count lower_bound{};
  /// End of the last byte of all buffers; empty if the offset or size of one is unknown.
  std::optional<std::uint64_t> used{};
  /// Whether the archive states the alignment. Otherwise `buffers` have the largest alignment that
  /// all offsets share.
  bool is_alignment_stated = false;
  std::vector<PlannedBuffer> buffers{};    ///< main's in the order of Topology::storages, scratch
  Problem problem{};                       ///< the same buffers in the same order
  std::vector<InPlaceBuffers> in_place{};  ///< in the order of the calls
  /// Why mlf does not move these buffers, one sentence each; empty if it may move them.
  std::vector<std::string> refused{};
};

/// The result of one planner for a pool.
struct PlannerResult {
  std::vector<std::uint64_t> offsets{};  ///< by buffer
  std::uint64_t size = 0;                ///< bytes of the pool
};

/// One pool: its present offsets and the planned ones.
struct PoolPlan {
  PoolProblem now{};
  /// Not larger than `now.used`. Its lower bound is for plans without results in place. For a
  /// refused pool only the offsets are valid; they are the present ones.
  Solution best{};
  /// The results of TVM's planners for the same buffers and lifetimes
  /// (src/tir/usmp/algo/greedy.cc); empty for refused pools and for those too large to be a
  /// network's.
  std::optional<PlannerResult> greedy_by_size{};
  std::optional<PlannerResult> greedy_by_conflicts{};
  /// The result of src/tir/usmp/algo/hill_climb.cc, in the version of v0.10 and later.
  std::optional<PlannerResult> hill_climb{};
  /// The best plan with results written over inputs: those of `now.in_place` that are compatible,
  /// the largest first. Empty if it is not smaller than `best`.
  std::optional<PlannerResult> in_place{};

  bool is_refused() const { return !now.refused.empty(); }
  /// Returns the bytes that the best plan saves of the declared size, or of the used size if none
  /// is declared.
  MLF_API std::uint64_t gain() const;
};

/// The cost of the workspaces of one call.
struct ScratchCost {
  graph::CallId call{};
  /// Bytes of its workspaces in the pool; empty if one of them has no known size.
  std::optional<std::uint64_t> scratch{};
  /// The most bytes live in one tick of the call, and the same without the workspaces. Empty if the
  /// pool is refused, as lifetimes are then unknown.
  std::optional<std::uint64_t> peak{};
  std::optional<std::uint64_t> without{};
};

struct CallOrder {
  std::vector<std::size_t> calls{};  ///< each once, in the order in which they are to run
  /// The most bytes live in one tick. This and the next two are empty if there are too many calls.
  std::optional<std::uint64_t> peak{};
  std::optional<std::uint64_t> given_peak{};   ///< the same of the order that was given
  std::optional<std::uint64_t> lower_bound{};  ///< no allowed order has a lower peak
  bool proven = false;                         ///< peak == lower_bound
  std::string not_searched{};                  ///< why mlf searched no other order; else empty

  /// Whether the order differs from the given one.
  MLF_API bool changes() const;
};

/// Another order of a network's calls, and plans of its pools for that order.
struct NetworkOrder {
  /// For live bytes of all workspace pools together; `calls` are positions of steps.
  CallOrder order{};
  std::vector<graph::CallId> calls{};  ///< as they would run
  std::vector<Solution> pools{};       ///< of the new order, as the pools of the network

  bool changes() const { return order.changes(); }
};

/// A memory of the board.
struct MemoryLimit {
  std::string name;
  std::uint64_t bytes = 0;          ///< that buffers may take of it
  bool has_only_constants = false;  ///< such as flash
};

/// A buffer, and the bytes read and written in it in one run of the network.
struct AccessedBuffer {
  Buffer buffer;             ///< not fixed
  analysis::Count accessed;  ///< bytes loaded and stored, those of all calls
  bool is_constant = false;
};

/// The place of a buffer.
struct SplitPlace {
  std::size_t memory = 0;  ///< index in PoolSplit::memories
  std::uint64_t offset = 0;
};

/// One memory and its buffers.
struct SplitMemory {
  MemoryLimit limit;
  std::uint64_t size = 0;    ///< end of the last byte that a buffer has
  std::size_t buffers = 0;   ///< so many of them
  analysis::Count accessed;  ///< bytes loaded from and stored to its buffers
};

struct PoolSplit {
  std::vector<SplitMemory> memories;  ///< as they were given
  std::vector<SplitPlace> places;     ///< by buffer
  /// No split certainly accesses more bytes in the first memory (the `min` of a Count).
  std::uint64_t most_in_first = 0;
  bool fits = true;  ///< each memory is within its limit; only the last may exceed it
};

/// A static plan for a network without a planned pool: its main allocates on the heap, the graph
/// executor has storages, and kernels use heap and stack.
struct StaticPlan {
  // Bytes that these take now (graph::MemoryUse::used).
  std::uint64_t executor = 0;
  std::uint64_t heap = 0;
  std::uint64_t stack = 0;
  /// One pool for all values of main, at planned offsets. The memory of kernels stays as it is.
  Solution main{};
  /// The same pool with the kernels' workspaces, each live during the whole call.
  Solution with_kernels{};
  std::vector<std::string> uncertain{};  ///< why it may be more, one sentence each

  std::uint64_t now() const { return executor + heap + stack; }
};

}  // namespace mlf::plan
