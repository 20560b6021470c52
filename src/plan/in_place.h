// Finds results that may be written over their inputs.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "mlf/tir/module.h"

namespace mlf::plan {

/// Memory `to` may begin at the same byte as `from`.
struct InPlacePair {
  std::size_t from = 0;
  std::size_t to = 0;
};

/// Returns, for one statement that runs in a kernel, the pairs of memories of which it reads one
/// and writes the other, element by element. A pair is proven if
///   - one store writes `to`, and nothing else in the statement touches `to`;
///   - the only accesses to `from` are loads in the value of that store, of elements of the same
///     size and at the index of the store: an element is read before its place is written;
///   - no two iterations of the loops around it have the same index: it is never read again.
/// The caller must know that `from` is not needed later and `to` not earlier.
/// `memory_of` returns the memory of a pointer variable. Other statements than loops, conditions,
/// lets and stores have no pairs.
std::vector<InPlacePair> in_place_pairs(
    tir::Node statement, const std::function<std::optional<std::size_t>(tir::Node)>& memory_of);

}  // namespace mlf::plan
