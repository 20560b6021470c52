// Shapes that only Relay remembers.
#pragma once

#include "mlf/graph/topology.h"

namespace mlf::graph {

/// Gives the tensors of calls the dimensions that Relay's main has for them, where both make the
/// same calls one by one; dtype and size of a tensor must be the same.
void take_shapes_of_relay(Topology& topology, const Topology& relay);

}  // namespace mlf::graph
