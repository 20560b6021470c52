// The second opinion: Relay's main in A-normal form, from before memory planning, as the module
// attribute `main_func_info` keeps it.
#pragma once

#include <optional>

#include "mlf/graph/topology.h"
#include "mlf/tir/module.h"

namespace mlf::graph {

/// The network that `main_func_info` of an IRModule shows; nothing where the module has none, or
/// none in the form that TVM gives it: lets of calls, tuples, their elements and constants.
std::optional<Topology> relay_main(tir::Node module);

}  // namespace mlf::graph
