// The calls of a network in the order that needs the least memory.
// Threads: plain values; functions have no shared state and may be called from any number of
// threads.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "mlf/export.h"
#include "mlf/graph/reconstruct.h"
#include "mlf/graph/topology.h"
#include "mlf/plan/network_plan.h"
#include "mlf/plan/order.h"

namespace mlf::plan {

/// The steps of a network, by position, as calls to be put into order, and the storages in its
/// workspace pools as buffers. Two steps that touch one storage, of whatever memory, keep their
/// order if one of them writes it. Copies, device hooks, and kernels without TIR or with calls of
/// unknown functions keep their place.
///
/// A storage that is written several times counts as alive in between. Buffers are as large as the
/// plans of their pools have them (`given`), which may be more than is declared.
MLF_API OrderProblem order_problem(const graph::Topology& topology,
                                   std::span<const graph::TirInput> sources,
                                   std::span<const PoolPlan> given = {});

/// Another order of a network's calls, and plans of its pools for that order.
struct NetworkOrder {
  /// Bytes alive in all workspace pools together; `calls` are positions of steps.
  CallOrder order{};
  std::vector<graph::CallId> calls{};  ///< as they would run
  std::vector<Solution> pools{};       ///< of the new order, as the pools of the network

  bool changes() const { return order.changes(); }
};

/// The best order, if plans for it are smaller than `given`, those for the order there is;
/// otherwise the order there is with those plans. Nothing where a pool may not be planned or there
/// is none.
MLF_API std::optional<NetworkOrder> plan_order(const graph::Topology& topology,
                                               std::span<const graph::TirInput> sources,
                                               std::span<const PoolAlignment> alignments,
                                               std::span<const PoolPlan> given,
                                               const SearchLimits& limits = {});

}  // namespace mlf::plan
