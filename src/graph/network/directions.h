// Which arguments of a call are read and which are written (rule `directions` of
// schemas/topology.md).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "graph/kernels/kernels.h"
#include "mlf/graph/topology.h"

namespace mlf::graph {

struct Decision {
  Direction direction = Direction::unknown;
  DecidedBy by = DecidedBy::body;
  Certainty certainty = Certainty::certain;
};

/// What is known about the memory of one tensor argument at the time of the call.
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
///
/// The body's loads and stores come first. Where it passes a tensor to code that is not in the
/// archive, or where there is no body: constants and inputs of the network are inputs; so is,
/// likely, what holds a value, unless it follows an output; what holds none is an output, and so is
/// everything behind it, as TVM passes inputs first; the last tensor is an output where no other
/// is.
std::vector<Decision> decide_directions(std::span<const TensorState> tensors);

}  // namespace mlf::graph
