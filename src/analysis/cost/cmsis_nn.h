// Kernels of Arm's CMSIS-NN library, which TVM's target cmsis-nn calls: what their arguments say.
#pragma once

#include <optional>
#include <vector>

#include "analysis/cost/callees.h"
#include "mlf/tir/module.h"

namespace mlf::analysis {

struct CmsisNnCost {
  Count mac;
  std::vector<OperationCount> arithmetic;  ///< Callee::arithmetic
  /// Tensors whose sizes the arguments tell; empty where they do not.
  std::vector<ArgumentUse> uses;
  std::vector<ArgumentUse> scratch;  ///< the context buffer, where its size is a number
};

/// What a call of a layer does; nothing where the function is none of those that TVM calls, or
/// where a layer that multiplies does not say its sizes.
std::optional<CmsisNnCost> cmsis_nn_cost(tir::Node call);

}  // namespace mlf::analysis
