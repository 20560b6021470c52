// What a call costs beyond its arguments.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "mlf/analysis/kernel_cost.h"
#include "mlf/tir/module.h"

namespace mlf::analysis {

struct Callee {
  /// A function that is not part of the kernel; empty for operators of TIR.
  std::string symbol{};
  /// Arithmetic of each element of the result.
  std::optional<Operation> operation{};
  /// Multiply-accumulates of one call; unknown where nothing says what the function does.
  Count mac{};
  bool is_known = true;  ///< whether what it does is known
};

/// By callees.def; kernels of CMSIS-NN and the micro kernels of TVM's own schedules by what their
/// names and arguments say.
Callee callee_of(tir::Node call);

}  // namespace mlf::analysis
