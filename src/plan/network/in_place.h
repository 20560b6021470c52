// Finds results that may be written over their inputs.
#pragma once

#include <cstddef>
#include <span>
#include <unordered_set>
#include <vector>

#include "graph/kernels/kernel_code.h"

namespace mlf::plan {

/// Memory `to` may begin at the same byte as `from`.
struct InPlacePair {
  std::size_t from = 0;
  std::size_t to = 0;
};

/// A load or store of an element of a memory.
struct ElementUse {
  const graph::MemoryAccess* use = nullptr;
  std::size_t memory = 0;
};

/// Returns, for one statement that runs in a kernel, the pairs of memories of which it reads one
/// and writes the other, element by element. A pair is proven if
///   - one store writes `to`, and nothing else in the statement touches `to`;
///   - the only accesses to `from` are loads in the value of that store, of elements of the same
///     size and at the index of the store: an element is read before its place is written;
///   - no two iterations of the loops around it have the same index: it is never read again.
/// The caller must know that `from` is not needed later and `to` not earlier, and that all loops of
/// the statement have constant bounds. `uses` are those of the statement; `opaque` has the memories
/// that it uses in other ways.
std::vector<InPlacePair> in_place_pairs(const graph::KernelCode& code,
                                        std::span<const ElementUse> uses,
                                        const std::unordered_set<std::size_t>& opaque);

}  // namespace mlf::plan
