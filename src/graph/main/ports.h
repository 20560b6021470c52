// Which tensors of main are inputs of the network and which are outputs, and what they are called
// (rules R8, R14).
#pragma once

#include "graph/kernels/kernels.h"
#include "graph/main/main_body.h"
#include "graph/main/parameters.h"
#include "mlf/graph/reconstruct.h"

namespace mlf::graph {

/// Sets `is_output` and `name` of all ports.
///
/// Inputs come before outputs. How many are outputs: as metadata says; else from the first one on
/// that a step writes before any reads it; else by TVM's own names for outputs; else the last.
void plan_ports(ParameterTable& parameters, const MainBody& body, KernelLibrary& kernels,
                const ModuleFacts* facts, Topology& topology);

}  // namespace mlf::graph
