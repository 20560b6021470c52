// The functions of a module on its way.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tir/text/expr_factory.h"

namespace mlf::tir::text {

class FunctionTable {
 public:
  explicit FunctionTable(ExprFactory& make) : make_(make) {}

  bool empty() const { return entries_.empty(); }
  void add(std::string_view name, NodeId function) {
    entries_.push_back({make_.global_var(name), function});
  }
  /// A function whose text stands alone: its name is its global_symbol, if it has one.
  void add_lone(NodeId function, std::string_view name_of_nameless);
  /// The IRModule, which has nothing but its functions.
  NodeId finish();

 private:
  ExprFactory& make_;
  std::vector<NodePair> entries_;
};

}  // namespace mlf::tir::text
