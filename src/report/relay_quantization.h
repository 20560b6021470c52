// Scales and zero points of inputs and outputs, from the text of a Relay function.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mlf/export.h"
#include "mlf/integration.h"

namespace mlf::report {

struct RelayQuantization {
  /// By the parameter's name. Only those that every operator of QNN reads with the same numbers.
  std::map<std::string, Quantization, std::less<>> inputs;
  std::vector<std::optional<Quantization>> outputs;  ///< in order
  /// By the layer of an operator that identifies a kernel (RelayAnchor): the layer whose result the
  /// kernel writes. TVM fuses element-wise operators behind the operator into it.
  struct Result {
    std::string layer;  ///< as the model has it
    std::optional<Quantization> quantization{};
  };
  std::map<std::string, Result, std::less<>> results;
};

/// Reads main. What the text does not state as numbers stays unknown.
MLF_API RelayQuantization quantization_in(std::string_view relay);

}  // namespace mlf::report
