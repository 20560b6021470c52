// The variables that names denote: the innermost one of each name, for the text has raw hints.
#pragma once

#include <cstddef>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mlf/tir/module.h"

namespace mlf::tir::repr {

class NameTable {
 public:
  /// What the name denotes here; none where nothing defined it.
  NodeId find(std::string_view name) const {
    const auto found = nodes_.find(name);
    return found == nodes_.end() ? NodeId::none : found->second;
  }
  /// Up to the release of a mark that was set before. `name` outlives the table.
  void define(std::string_view name, NodeId node);
  /// For the rest of the function: a variable that no statement of it defines.
  void define_free(std::string_view name, NodeId node) { nodes_.insert_or_assign(name, node); }

  std::size_t mark() const { return defined_.size(); }
  void release(std::size_t mark);
  void clear();

 private:
  std::unordered_map<std::string_view, NodeId> nodes_;
  std::vector<std::pair<std::string_view, NodeId>> defined_;  // with what the name was before
};

}  // namespace mlf::tir::repr
