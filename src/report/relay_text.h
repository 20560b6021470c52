// What the text of a Relay function states: shapes and multiply-accumulates of operators, scales
// and zero points of inputs and outputs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mlf/export.h"
#include "mlf/integration.h"

namespace mlf::report {

/// The parts of "(a, b, c)", and the text after it.
struct ArgumentList {
  std::vector<std::string_view> arguments;
  std::string_view rest;
};

/// Splits the first list in parentheses at its commas, other than those in brackets and comments.
ArgumentList arguments_of(std::string_view line);

/// The shapes of variables. If TVM has typed the model, comments state them. Otherwise they follow
/// from the parameters, if this class knows all operators in between.
class RelayShapes {
 public:
  using Shape = std::vector<std::int64_t>;

  /// Reads the line with the function's name and parameters.
  void add_parameters(std::string_view head);

  /// Reads a line `%variable = operation(arguments, attributes) /* ty=… */;` with its comments.
  /// Returns how many multiply-accumulates the operator needs, if it is a convolution or a dense
  /// layer whose shapes are known.
  std::optional<std::uint64_t> add_call(std::string_view variable, std::string_view operation,
                                        std::string_view line);

 private:
  std::map<std::string, Shape, std::less<>> shapes_;
};

struct RelayQuantization {
  /// By the parameter's name. Only those that every operator of QNN reads with the same numbers.
  std::map<std::string, Quantization, std::less<>> inputs;
  std::vector<std::optional<Quantization>> outputs;  ///< in order
  /// By the layer of an operator that identifies a kernel (RelayAnchor): the layer whose result the
  /// kernel writes. TVM fuses element-wise operators behind the operator into it.
  std::map<std::string, CallLayer, std::less<>> results;
};

/// Reads main. What the text does not state as numbers stays unknown.
MLF_API RelayQuantization quantization_in(std::string_view relay);

}  // namespace mlf::report
