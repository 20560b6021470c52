#include "graph/network/directions.h"

namespace mlf::graph {
namespace {

/// A read before any write makes the tensor an update, if it has a value to update
/// (NetworkBuilder::connect). A conditional read most likely gets the value that an earlier
/// iteration of the loops around it wrote.
Decision written_by_body(const Effect& effect) {
  switch (effect.first) {
    case Effect::First::read:
      return {Direction::in_out, DecidedBy::body, Certainty::likely};
    case Effect::First::guarded_read:
      return {Direction::output, DecidedBy::body, Certainty::likely};
    default:
      return {Direction::output, DecidedBy::body, Certainty::certain};
  }
}

/// Code that is not understood may read tensors that the rest only writes, and write tensors that
/// the rest only reads.
std::optional<Decision> from_open_body(const Effect& effect) {
  if (!effect.written) return std::nullopt;
  const bool updates = effect.first == Effect::First::read;
  return Decision{updates ? Direction::in_out : Direction::output, DecidedBy::body,
                  Certainty::assumed};
}

/// The direction from the kernel's own code; nullopt if it passes the tensor to code that is
/// missing.
std::optional<Decision> from_body(const TensorState& tensor) {
  if (tensor.effect == nullptr) return std::nullopt;
  if (tensor.effect->is_open) return from_open_body(*tensor.effect);
  if (tensor.effect->written) return written_by_body(*tensor.effect);
  if (tensor.effect->escaped) return std::nullopt;
  if (tensor.effect->read) return Decision{Direction::input, DecidedBy::body};
  return Decision{Direction::input, DecidedBy::untouched, Certainty::likely};
}

bool is_output(const std::optional<Decision>& decision) {
  return decision && decision->direction != Direction::input;
}

/// The direction from the state of the storage: each value must be written before it is read.
std::optional<Decision> from_state(const TensorState& tensor) {
  if (tensor.is_constant) return Decision{Direction::input, DecidedBy::constant};
  if (tensor.is_input) {
    return Decision{Direction::input, DecidedBy::graph_input, Certainty::likely};
  }
  if (tensor.has_value && tensor.is_unread) {
    // No network computes a tensor and overwrites it unread.
    return Decision{Direction::input, DecidedBy::written_before, Certainty::likely};
  }
  // Already read: this is another reader, or StorageRewrite reuses the memory for a new tensor.
  if (tensor.has_value) return std::nullopt;
  const DecidedBy by = tensor.is_output ? DecidedBy::graph_output : DecidedBy::never_written;
  return Decision{Direction::output, by, Certainty::likely};
}

/// If neither body nor state determine the direction: that of another call of the same function,
/// else an input, because most arguments are inputs.
Decision fallback(const TensorState& tensor) {
  if (tensor.elsewhere)
    return {tensor.elsewhere->direction, DecidedBy::other_call, tensor.elsewhere->certainty};
  return {Direction::input, DecidedBy::written_before, Certainty::assumed};
}

}  // namespace

// In the order of rule `directions` of schemas/topology.md. From left to right, because arguments
// after an output are outputs.
std::vector<Decision> decide_directions(std::span<const TensorState> tensors) {
  std::vector<std::optional<Decision>> decided(tensors.size());
  bool after_output = false;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    decided[i] = from_body(tensors[i]);
    if (!decided[i] && after_output && !tensors[i].is_constant) {
      decided[i] = Decision{Direction::output, DecidedBy::after_output, Certainty::likely};
    }
    if (!decided[i]) decided[i] = from_state(tensors[i]);
    after_output = after_output || is_output(decided[i]);
  }
  // A call that writes nothing would be useless.
  if (!after_output && !tensors.empty() && !decided.back()) {
    decided.back() = Decision{Direction::output, DecidedBy::last_argument, Certainty::likely};
  }
  std::vector<Decision> result;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    result.push_back(decided[i] ? *decided[i] : fallback(tensors[i]));
  }
  return result;
}

}  // namespace mlf::graph
