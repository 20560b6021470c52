// What a finished topology says about itself (rules R10, R13, R15).
#pragma once

#include <string_view>

#include "graph/kernels/functions.h"
#include "mlf/graph/topology.h"

namespace mlf::graph {

/// Values that nothing reads, sizes that do not agree, tensors that do not fit or overlap.
void check_values(Topology& topology);

/// Functions of this module that main does not call.
void check_unused_kernels(Topology& topology, const FunctionTable& functions,
                          const FunctionRef& main);

/// Adds a check for every value that is put over a living one. A tensor last read by a call may
/// share bytes with a result of that call: the planner looks into kernels. Near-linear in the
/// number of values.
void check_overlaps(Topology& topology);

}  // namespace mlf::graph
