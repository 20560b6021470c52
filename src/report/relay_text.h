// What the text of a Relay function states: its anchors, their shapes and multiply-accumulates, and
// scales and zero points of inputs and outputs.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mlf/export.h"
#include "mlf/integration.h"
#include "report/layers.h"

namespace mlf::report {

/// Returns the anchors of main in the text of `src/<m>.relay`, in the order of the text. Ignores
/// lines that are not of the form `%3 = op(…);`.
std::vector<RelayAnchor> relay_anchors(std::string_view text);

/// `line` without its comments, which may contain any text.
MLF_API std::string without_comments(std::string_view line);

/// Returns the lines of main in Relay's text, up to its closing brace. Empty if it has no main.
MLF_API std::string_view main_of_relay(std::string_view text);

struct RelayQuantization {
  /// By the parameter's name. Only those that every operator of QNN reads with the same numbers.
  std::map<std::string, Quantization, std::less<>> inputs;
  std::vector<std::optional<Quantization>> outputs;  ///< in order
  /// By the line of an operator that identifies a kernel (RelayAnchor): the layer whose result the
  /// kernel writes. TVM fuses element-wise operators behind the operator into it.
  std::map<std::uint32_t, CallLayer> results;
};

/// Reads main. What the text does not state as numbers stays unknown.
MLF_API RelayQuantization quantization_in(std::string_view relay);

}  // namespace mlf::report
