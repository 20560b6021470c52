// The constants that a text has not got: whoever reads it may know where else their data stands.
#pragma once

#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "mlf/tir/builder.h"
#include "mlf/tir/document.h"
#include "tir/array_uses.h"
#include "tir/text/function_losses.h"
#include "tir/text/missing_objects.h"

namespace mlf::tir::text {

class LostConstants {
 public:
  LostConstants(const ConstantFinder& finder, Builder& builder, FunctionLosses& losses)
      : finder_(finder), builder_(builder), losses_(losses) {}

  /// The NDArray of a constant of the function that is being read, or none and a loss. `detail`
  /// says what its text has of it. The query has dtype and shape.
  NodeId find(ConstantQuery query, std::string_view detail);

  /// The same for a constant of which the text has name, dtype and extents alone; a loss, too,
  /// where one of these is no number.
  NodeId find(std::string_view name, DType dtype, const std::vector<NodeId>& extents);

  /// Puts NDArrays in the place of references into a metadata section that was left out. One that
  /// stands in several places must be the same in all that are known.
  void find_missing(NodeId root, MissingObjects& missing);

  std::vector<Recovered> take() { return std::exchange(found_, {}); }

 private:
  /// By the index of a MissingObject: what was found for each place of it.
  using Candidates = std::map<std::uint32_t, std::vector<FoundConstant>>;

  Candidates candidates(NodeId root) const;
  NodeId make(DType dtype, std::span<const std::int64_t> shape, const FoundConstant& found);

  const ConstantFinder& finder_;
  Builder& builder_;
  FunctionLosses& losses_;
  std::vector<Recovered> found_;
};

/// The extents of a constant; nothing where one of them is no number.
std::optional<std::vector<std::int64_t>> constant_shape(const Builder& builder,
                                                        const std::vector<NodeId>& extents);

}  // namespace mlf::tir::text
