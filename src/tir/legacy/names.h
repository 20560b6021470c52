// The one table of names of a text: a name denotes one Var, Buffer or producer in the whole file.
#pragma once

#include <cstddef>
#include <string_view>
#include <unordered_map>

#include "mlf/tir/module.h"
#include "tir/legacy/grammar.h"

namespace mlf::tir::legacy {

class NameTable {
 public:
  NameTable(std::string_view text, Strings strings) : text_(text), strings_(strings) {}

  /// What the name denotes; none where it was not defined yet.
  NodeId find(std::string_view name) const {
    const auto found = nodes_.find(name);
    return found == nodes_.end() ? NodeId::none : found->second;
  }
  /// `name` outlives the table.
  void define(std::string_view name, NodeId node) { nodes_.insert_or_assign(name, node); }

  /// Offset of the name at the place where the text annotates or defines it, wherever that is: the
  /// printer of v0.8 and v0.9 evaluated its operands in any order. npos where there is none.
  std::size_t place_of_definition(std::string_view name);

 private:
  void index_definitions();

  std::string_view text_;
  Strings strings_;
  std::unordered_map<std::string_view, NodeId> nodes_;
  std::unordered_map<std::string_view, std::size_t> places_;
  bool is_indexed_ = false;
};

}  // namespace mlf::tir::legacy
