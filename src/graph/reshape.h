// Kernels that only copy: what the graph executor turns into `__nop`.
#pragma once

#include "mlf/tir/module.h"

namespace mlf::graph {

/// Whether the function stores nothing but elements of one other buffer, each at the index it was
/// loaded from. Indices that are spelled differently are computed for every iteration, up to about
/// a million; beyond that the answer is no.
bool copies_in_order(tir::Node function);

}  // namespace mlf::graph
