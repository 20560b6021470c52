// The constants that a text has not got: whoever reads it may know where else their data stands.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "mlf/tir/builder.h"
#include "mlf/tir/document.h"
#include "tir/text/function_losses.h"

namespace mlf::tir::text {

class LostConstants {
 public:
  LostConstants(const ConstantFinder& finder, Builder& builder, FunctionLosses& losses)
      : finder_(finder), builder_(builder), losses_(losses) {}

  /// The NDArray of a constant of the function that is being read, or none and a loss. `detail`
  /// says what its text has of it.
  NodeId find(ConstantQuery query, std::string_view detail);
  std::vector<Recovered> take() { return std::exchange(found_, {}); }

 private:
  const ConstantFinder& finder_;
  Builder& builder_;
  FunctionLosses& losses_;
  std::vector<Recovered> found_;
};

/// The extents of a constant; nothing where one of them is no number.
std::optional<std::vector<std::int64_t>> constant_shape(const Builder& builder,
                                                        const std::vector<NodeId>& extents);

}  // namespace mlf::tir::text
