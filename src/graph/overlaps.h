// Tensors that share bytes of a pool while both are in use.
#pragma once

#include "mlf/graph/topology.h"

namespace mlf::graph {

/// Adds a check for every value that is put over a living one. A tensor last read by a call may
/// share bytes with a result of that call: the planner looks into kernels. Near-linear in the
/// number of values.
void check_overlaps(Topology& topology);

}  // namespace mlf::graph
