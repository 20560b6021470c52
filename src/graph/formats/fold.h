// Repeated parts of a network, for drawings that show them once.
// Threads: functions have no shared state; any number of threads may call them at once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mlf/export.h"
#include "mlf/graph/topology.h"

namespace mlf::graph {

/// Calls that follow each other in main and are one box of a drawing: a part of the network that
/// runs `times` times in a row, each time `calls` calls. A single call is once one.
struct CallBlock {
  CallId first{};
  std::uint32_t calls = 1;
  std::uint32_t times = 1;

  std::uint32_t size() const { return calls * times; }
  CallId last() const { return static_cast<CallId>(index(first) + size() - 1); }
  friend bool operator==(const CallBlock&, const CallBlock&) = default;
};

/// A network in boxes. Every call is in one; boxes are in the order of main.
struct FoldedNetwork {
  std::vector<CallBlock> blocks{};
  std::vector<std::uint32_t> block_of{};  ///< by call
};

/// Every call is a box of its own.
MLF_API FoldedNetwork whole_network(const Topology& topology);

/// Makes boxes of parts that repeat. One time is like the next where its calls are of kernels of
/// equal `shapes` (by kernel; `analysis::arithmetic_shape`, say) and read from the same places
/// within it; what comes from before it may come from anywhere. Of boxes that begin with the same
/// call the largest counts, of equal ones that with the shortest part; one that would cut a larger
/// one is not made. A part has at most 64 calls. No box goes across a copy, and calls that a check
/// of severity `error` is about stay boxes of their own.
///
/// Time grows with the number of calls, by at most 4,096 steps for each.
MLF_API FoldedNetwork fold_repeats(const Topology& topology, std::span<const std::uint64_t> shapes);

}  // namespace mlf::graph
