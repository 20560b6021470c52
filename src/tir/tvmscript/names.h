// Which Var, Buffer or object a name stands for, by scope.
#pragma once

#include <cstddef>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mlf/tir/module.h"

namespace mlf::tir::tvmscript {

/// Names are released when their scope ends, so one name may stand for several objects in turn.
/// The names themselves are pieces of the source, which outlives the table.
class NameTable {
 public:
  NodeId find(std::string_view name) const {
    const auto found = bound_.find(name);
    return found == bound_.end() ? NodeId::none : found->second;
  }

  void bind(std::string_view name, NodeId node) {
    NodeId& bound = bound_[name];
    undo_.emplace_back(name, bound);
    bound = node;
  }

  /// Where a scope begins; `release` takes back what was bound since.
  std::size_t mark() const { return undo_.size(); }
  void release(std::size_t mark) {
    for (; undo_.size() > mark; undo_.pop_back()) {
      bound_[undo_.back().first] = undo_.back().second;
    }
  }

 private:
  std::unordered_map<std::string_view, NodeId> bound_;
  std::vector<std::pair<std::string_view, NodeId>> undo_;
};

}  // namespace mlf::tir::tvmscript
