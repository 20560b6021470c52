// Follows main step by step and builds the topology. Decides which arguments of a call are read and
// which are written (rule `directions` of schemas/topology.md).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "graph/kernels/kernels.h"
#include "graph/main/main_body.h"
#include "graph/main/parameters.h"
#include "mlf/graph/topology.h"

namespace mlf::graph {

struct Decision {
  Direction direction = Direction::unknown;
  DecidedBy by = DecidedBy::body;
  Certainty certainty = Certainty::certain;
};

/// Directions found in calls of functions without TIR: by symbol, for each tensor.
using KnownDirections = std::map<std::string, std::vector<std::optional<Decision>>, std::less<>>;

/// Makes the calls, values and storages of the network from the steps of main. Reads and extends
/// `known`.
void follow_main(Topology& topology, const MainBody& body, const ParameterTable& parameters,
                 KernelLibrary& kernels, KnownDirections& known);

}  // namespace mlf::graph
