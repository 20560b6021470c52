// How much memory is in use at each step.
#pragma once

#include "mlf/graph/topology.h"

namespace mlf::graph {

/// Fills `memory` of a topology that is complete otherwise.
void account_memory(Topology& topology);

}  // namespace mlf::graph
