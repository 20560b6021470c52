// The clock of a network, and the buffers of its pools, for all that plans its memory.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

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

/// The buffers alone, with the sizes that topology and kernels state. Follows no access.
std::vector<PoolProblem> placed_buffers(const graph::Topology& topology, const NetworkTicks& ticks);

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

}  // namespace mlf::plan
