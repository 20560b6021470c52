// What a network takes of each kind of memory, in a few numbers.
// Threads: plain values; functions have no shared state and may be called from any number of
// threads.
#pragma once

#include <cstdint>

#include "mlf/export.h"
#include "mlf/graph/topology.h"

namespace mlf::graph {

/// Bytes, and what the number is worth.
struct ByteCount {
  std::uint64_t bytes = 0;
  Exactness exactness = Exactness::exact;

  /// A sum is worth as much as the worse of its parts.
  MLF_API ByteCount& operator+=(const ByteCount& other);
  friend bool operator==(const ByteCount&, const ByteCount&) = default;
};

/// The memory of one network. Sums stop at 2^63-1.
struct MemoryTotals {
  /// Each input and output once, wherever it is: those in pools and in storage of the graph
  /// executor are part of those numbers as well.
  ByteCount inputs_and_outputs;
  /// Of main and of the kernels that it calls: pools as they are declared, and everything outside
  /// of pools without the padding between arrays. Parameters of the graph executor count here and,
  /// as it copies them, in `executor`.
  ByteCount constants;
  ByteCount pools;     ///< of kind workspace, as they are declared
  ByteCount executor;  ///< `used` of MemoryKind::executor
  ByteCount heap;      ///< `used` of MemoryKind::heap
  ByteCount stack;     ///< `used` of MemoryKind::stack

  /// What has to be there beside inputs, outputs and constants. Heap and stack may be fullest at
  /// different calls; but neither gives room to the other.
  MLF_API ByteCount workspace() const;
};

MLF_API MemoryTotals memory_totals(const Topology& topology);

}  // namespace mlf::graph
