// The least memory that a network needs, wherever its tensors are.
// Threads: functions have no shared state; any number of threads may call them at once.
#pragma once

#include <span>
#include <vector>

#include "mlf/analysis/count.h"
#include "mlf/export.h"
#include "mlf/graph/reconstruct.h"
#include "mlf/graph/topology.h"

namespace mlf::plan {

/// The bytes that are alive at the fullest tick (NetworkProblem), with the calls in the order of
/// the archive. No placement of tensors and workspaces needs less, nor one that writes results
/// over what they are computed from: of such a pair the smaller one counts as shared. Alignment
/// does not count.
struct LeastMemory {
  analysis::Count all;                   ///< pools, executor, heap and stack together
  std::vector<analysis::Count> pools{};  ///< by PoolId, each alone; 0 for pools of constants
};

/// `sources` are the TIR that the network was read off. Never more than what is alive at the peak
/// of graph::MemoryUse. Where sizes, kernels or statements of main are not known, the number has
/// no maximum.
MLF_API LeastMemory least_memory(const graph::Topology& topology,
                                 std::span<const graph::TirInput> sources);

}  // namespace mlf::plan
