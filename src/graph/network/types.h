// The types of tensors, completed from whatever knows them (rule R10).
#pragma once

#include "mlf/graph/topology.h"

namespace mlf::graph {

/// Completes types and sizes that one end of an edge does not know from the other end, and shapes
/// of flattened tensors from Relay's main (null: unknown) and main's own declarations.
void complete_types(Topology& topology, const Topology* relay);

/// Kernels that copy in order are reshapes only where both tensors have the same size in every
/// call.
void confirm_reshapes(Topology& topology);

}  // namespace mlf::graph
