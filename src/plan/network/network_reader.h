// Reads the pools of one network from its topology and its kernels' TIR. One class in two files:
// the clock, the pools and the buffers with their lifetimes (network_problem.cpp), and the reasons
// to move none of them (network_certainty.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/cost/accesses.h"
#include "graph/network/memory_use.h"
#include "plan/network/kernel_ticks.h"
#include "plan/network/network_problem.h"

namespace mlf::plan {

/// By kernel; null for one without TIR.
std::vector<const graph::KernelCode*> code_of_kernels(const graph::Topology& topology,
                                                      std::span<const graph::TirInput> sources);

/// When a value must exist, and when it may have to.
struct ValueLife {
  Interval certain;
  Interval possible;
};

/// The ticks of a network's kernels, and one clock for its steps: in the order of main, each with
/// as many ticks as its kernel has. Tick 0 is before main. A copy or device hook takes one tick.
class NetworkTicks {
 public:
  NetworkTicks(const graph::Topology& topology, std::span<const graph::TirInput> sources);

  /// By kernel; nothing for one without TIR.
  const std::vector<std::optional<KernelTicks>>& kernels() const { return kernels_; }
  const std::optional<KernelTicks>& of(graph::KernelId kernel) const {
    return kernels_[index(kernel)];
  }
  /// Null for a kernel that is not understood.
  const KernelTicks* understood(graph::KernelId kernel) const;
  /// NetworkProblem::first_tick.
  const std::vector<std::int64_t>& clock() const { return clock_; }
  std::int64_t begin_of(const graph::Call& call) const { return clock_[call.position]; }
  /// For each call of the kernel, these ticks of it.
  std::vector<Interval> in_calls_of(graph::KernelId kernel, const Interval& ticks) const;
  ValueLife life_of(graph::ValueId id) const;

 private:
  struct Touch {
    std::optional<Interval> certain;
    std::optional<Interval> possible;
  };
  Interval whole_step(graph::Position position) const;
  Touch touched_at(const graph::Endpoint& end) const;

  const graph::Topology& topology_;
  graph::Lifetimes lifetimes_;
  std::vector<std::optional<KernelTicks>> kernels_;
  std::vector<std::int64_t> clock_;
  std::vector<std::vector<std::int64_t>> first_of_calls_;  // by kernel: first tick of each call
};

/// As `network_problem`, without checking the present offsets against the lifetimes. The steps need
/// not be in the order of their positions.
NetworkProblem read_network(const graph::Topology& topology,
                            std::span<const graph::TirInput> sources,
                            std::span<const PoolAlignment> alignments);

/// Refuses a pool whose present offsets let two live buffers overlap.
void check_own_plan(const graph::Topology& topology, PoolProblem& pool);

/// Adds a reason once, up to a few reasons.
void refuse(PoolProblem& pool, std::string why);

/// Sorts intervals, and merges those that overlap.
std::vector<Interval> joined(std::vector<Interval> pieces);

bool are_alive_together(const std::vector<Interval>& a, const std::vector<Interval>& b);

/// An input or output of the network in this storage; null if there is none.
const graph::Port* port_of(const graph::Topology& topology, graph::StorageId id);
/// The end of its last byte in the archive's own plan.
std::uint64_t end_of(const PlannedBuffer& buffer);

/// Reads the pools of one network, kernel by kernel and then tensor by tensor.
class NetworkReader {
 public:
  NetworkReader(const graph::Topology& topology, std::span<const graph::TirInput> sources)
      : topology_(topology), sources_(sources), ticks_(topology, sources) {}

  NetworkProblem run(std::span<const PoolAlignment> alignments);
  /// Returns the buffers alone, with the sizes that topology and kernels state. Follows no access.
  std::vector<PoolProblem> placed();
  const NetworkTicks& ticks() const { return ticks_; }

 private:
  void find_pools();
  PoolProblem* problem_of(std::optional<graph::PoolId> pool);
  void refuse_all(const std::string& why);
  void refuse_pools_of(const graph::Call& call, const std::string& why);
  void check_network();
  void check_call(const graph::Call& call);
  void check_lets(const graph::Call& call, const KernelTicks& ticks);
  std::string kernel_at(graph::KernelId id) const;
  void read_accesses();
  void read_accesses_of(const graph::Call& call);
  void read_accesses_of(const graph::Copy& copy);
  void read_argument(const graph::Argument& argument, const analysis::TouchedBytes& touched,
                     const std::string& who);
  void write_argument(const graph::Argument& argument, const analysis::TouchedBytes& touched);
  void reach(graph::StorageId id, const analysis::ByteSet& bytes, const std::string& who);
  void expect_written(graph::StorageId id, const analysis::ByteSet& read,
                      const analysis::ByteSet& there, const std::string& who);
  void check_outputs();
  /// By the name and offset of a let.
  using LetsByPlace =
      std::multimap<std::pair<std::string_view, std::int64_t>, const analysis::TouchedBytes*>;
  std::uint64_t check_workspace(graph::KernelId id, const graph::KernelBuffer& workspace,
                                const LetsByPlace& lets, PoolProblem& pool);
  void add_storages();
  void add_storage(graph::StorageId id, std::span<const graph::ValueId> values);
  void add_workspaces(graph::KernelId id);
  KernelTicks::FoundBuffer find(graph::KernelId id, const graph::KernelBuffer& buffer) const;
  void add_constants(graph::KernelId id);
  std::optional<Interval> scratch_ticks(graph::KernelId id, const graph::KernelBuffer& buffer,
                                        PoolProblem& pool) const;
  void find_in_place(graph::CallId id);
  std::optional<std::size_t> buffer_of(const graph::Call& call, const TickMemory& memory,
                                       PoolProblem& pool) const;
  void finish(PoolProblem& pool, std::span<const PoolAlignment> alignments) const;

  const graph::Topology& topology_;
  std::span<const graph::TirInput> sources_;
  NetworkTicks ticks_;
  std::vector<std::optional<analysis::Accesses>> accesses_;  // by kernel; nothing: no TIR
  std::vector<analysis::ByteSet> contents_;  // by value: what is certainly written of it
  std::vector<std::uint64_t> reaches_;       // by storage: up to where it is touched
  std::size_t scratch_lives_ = 0;
  NetworkProblem result_;
};

}  // namespace mlf::plan
