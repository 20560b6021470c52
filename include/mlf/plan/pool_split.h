// Several memories with limits, such as a small fast one and a large slow one: which buffers of a
// network's pools go where.
// Threads: plain values; functions have no shared state and may be called from any number of
// threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mlf/analysis/count.h"
#include "mlf/diagnostics.h"
#include "mlf/export.h"
#include "mlf/graph/reconstruct.h"
#include "mlf/graph/topology.h"
#include "mlf/plan/network_plan.h"

namespace mlf::plan {

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

/// The buffers of all workspace pools of a network: pool by pool, in the order of PoolProblem.
/// What calls access is worked out of the kernels' TIR (analysis::kernel_cost), and what copies do
/// of their sizes. An input or output that has its place in a pool is one of them.
MLF_API std::vector<AccessedBuffer> accessed_buffers(const graph::Topology& topology,
                                                     std::span<const graph::TirInput> sources,
                                                     const NetworkProblem& problem);

/// Fills `memories` one after the other, the fastest first: those buffers first that are accessed
/// most for their size, each where it fits beside those that are there at the same time. The last
/// memory takes what is left. Deterministic unless `limits` end a search by time.
///
/// Errors: `usage` without a memory; those of `solve`.
MLF_API Result<PoolSplit> split_pools(std::span<const AccessedBuffer> buffers,
                                      std::span<const MemoryLimit> memories,
                                      const SearchLimits& limits = {});

}  // namespace mlf::plan
