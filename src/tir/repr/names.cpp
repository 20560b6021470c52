#include "tir/repr/names.h"

namespace mlf::tir::repr {

void NameTable::define(std::string_view name, NodeId node) {
  NodeId& known = nodes_[name];
  defined_.emplace_back(name, known);
  known = node;
}

void NameTable::release(std::size_t mark) {
  while (defined_.size() > mark) {
    nodes_[defined_.back().first] = defined_.back().second;
    defined_.pop_back();
  }
}

void NameTable::clear() {
  nodes_.clear();
  defined_.clear();
}

}  // namespace mlf::tir::repr
