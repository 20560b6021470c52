// What a finished topology says about itself (rules R10, R13, R15).
#pragma once

#include <vector>

#include "graph/kernels/functions.h"
#include "mlf/graph/topology.h"

namespace mlf::graph {

/// Values that nothing reads, sizes that do not agree, tensors that do not fit or overlap.
void check_values(Topology& topology);

/// Functions of this module that main does not call.
void check_unused_kernels(Topology& topology, const FunctionTable& functions,
                          const FunctionRef& main);

/// Functions without TIR, whose directions are inferred (rule R12).
void check_externals(Topology& topology);

/// Two mains of one module contradict each other, whatever they say (rule R1).
void check_several_mains(std::vector<Topology>& topologies);

}  // namespace mlf::graph
