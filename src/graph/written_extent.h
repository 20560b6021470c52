// How much of a flat tensor a kernel writes, where its text does not say how large the tensor is.
#pragma once

#include <cstdint>
#include <map>

#include "mlf/tir/module.h"

namespace mlf::graph {

/// Elements up to the highest one that is written under a condition, by the variable that points to
/// the tensor. Loops of whole tiles reach beyond the end of a tensor, and a condition keeps them
/// from writing there: only running them tells where the end is. Tensors with a store that is not
/// under a condition, or whose loops are too long to run, are not among them.
std::map<tir::NodeId, std::int64_t> guarded_extents(tir::Node function);

}  // namespace mlf::graph
