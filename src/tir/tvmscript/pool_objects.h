// Constant pools of the static memory planner: each is one object in TVM, of which every function
// that works in it has a print.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "mlf/tir/builder.h"
#include "tir/reader.h"

namespace mlf::tir::tvmscript {

class PoolObjects {
 public:
  explicit PoolObjects(Builder& builder) : builder_(builder) {}

  /// The ConstantInfo with these fields, the same for each mention.
  NodeId constant(std::string_view name, NodeId offset, NodeId data);

  /// The ConstantPoolInfo that holds these constants, the same for each mention. Its constants are
  /// all that is printed of it.
  NodeId pool(std::vector<NodeId> constants);

  /// Names each pool as the parameter of a function that is this pool, below the IRModule `root`.
  /// One that no parameter names is a loss.
  void name_pools(NodeId root, LossLog& losses);

 private:
  Builder& builder_;
  std::map<std::tuple<std::string, std::int64_t, NodeId>, NodeId> constants_;
  std::map<std::vector<NodeId>, NodeId> pools_;
};

}  // namespace mlf::tir::tvmscript
