// What the stores of a kernel say when its loops are run: whether it only copies, and how much of a
// tensor it writes.
#pragma once

#include <cstdint>
#include <map>

#include "mlf/tir/module.h"

namespace mlf::graph {

/// Whether the function stores nothing but elements of one other buffer, each at the index it was
/// loaded from. Indices that are spelled differently are computed for every iteration, up to about
/// a million; beyond that the answer is no.
bool copies_in_order(tir::Node function);

/// Elements up to the highest one that is written under a condition, by the variable that points to
/// the tensor. Loops of whole tiles reach beyond the end of a tensor, and a condition keeps them
/// from writing there: only running them tells where the end is. Tensors with a store that is not
/// under a condition, or whose loops are too long to run, are not among them.
std::map<tir::NodeId, std::int64_t> guarded_extents(tir::Node function);

}  // namespace mlf::graph
