// What a finished topology says about itself (rules R10, R13, R15).
#pragma once

#include <string_view>

#include "graph/functions.h"
#include "mlf/graph/topology.h"

namespace mlf::graph {

/// Completes types and sizes that one end of an edge does not know from the other end, and shapes
/// of flattened tensors from Relay's main (null: unknown) and main's own declarations.
void complete_types(Topology& topology, const Topology* relay);

/// Kernels that copy in order are reshapes only where both tensors have the same size in every call.
void settle_reshapes(Topology& topology);

/// Values that nothing reads, sizes that do not agree, tensors that do not fit or overlap.
void check_values(Topology& topology);

/// Functions of this module that main does not call.
void check_unused_kernels(Topology& topology, const FunctionTable& functions,
                          const FunctionRef& main);

}  // namespace mlf::graph
