// Kernels of Arm's CMSIS-NN library, which TVM's target cmsis-nn calls: what their arguments say.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "analysis/cost/callees.h"
#include "mlf/tir/module.h"

namespace mlf::analysis {

struct CmsisNnCall {
  Count mac;
  /// Tensors whose sizes the arguments tell; empty where they are not those of a TVM known here.
  std::vector<ArgumentUse> uses;
  std::vector<ArgumentUse> scratch;  ///< the context buffer, where its size is a number
};

/// What a call of `name` with `args` does, `args[0]` being its name; nothing where the function is
/// none of CMSIS-NN's, or where it is a layer whose sizes are not given.
std::optional<CmsisNnCall> cmsis_nn_call(std::string_view name, tir::NodeList args);

}  // namespace mlf::analysis
