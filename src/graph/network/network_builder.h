// Follows main step by step and builds the topology. Decides which arguments of a call are read and
// which are written (rule `directions` of schemas/topology.md).
#pragma once

#include <map>
#include <optional>
#include <span>
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

/// The state of the memory of one tensor argument at the time of the call.
struct TensorState {
  bool is_constant = false;
  bool is_input = false;           ///< an input of the network
  bool is_output = false;          ///< an output of the network
  bool has_value = false;          ///< something was written to it, or it is an input or constant
  bool is_unread = false;          ///< the value that it holds has no reader yet
  const Effect* effect = nullptr;  ///< of the kernel's body; null without TIR
  std::optional<Decision> elsewhere{};  ///< what a better founded call of the same kernel said
};

/// Decides for all tensors of one call, in their order. TVM states directions nowhere.
/// The body's loads and stores have priority. If the body passes a tensor to code that is not in
/// the archive, or there is no body: constants and inputs of the network are inputs; a tensor with
/// a value is a likely input, unless it follows an output; a tensor without a value is an output,
/// and so are all after it, because TVM passes inputs first; if no tensor is an output, the last
/// one is.
std::vector<Decision> decide_directions(std::span<const TensorState> tensors);

/// Directions found in calls of functions without TIR: by symbol, for each tensor.
using KnownDirections = std::map<std::string, std::vector<std::optional<Decision>>, std::less<>>;

/// Makes the calls, values and storages of the network from the steps of main. Reads and extends
/// `known`.
void follow_main(Topology& topology, const MainBody& body, const ParameterTable& parameters,
                 KernelLibrary& kernels, KnownDirections& known);

}  // namespace mlf::graph
