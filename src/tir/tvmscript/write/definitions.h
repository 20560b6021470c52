// What a function has to define before its statements can use it.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "mlf/tir/module.h"

namespace mlf::tir::tvmscript {

/// Variables and buffers of one function by where they come from.
struct Definitions {
  /// Variables that no statement defines, in the order of their making: declared at the top.
  std::vector<Node> free_vars;
  /// Buffers that no statement declares: declared as soon as their parts are.
  std::vector<Node> free_buffers;
  /// For data pointers that nothing else defines: the buffer that brings them along.
  std::unordered_map<std::uint32_t, NodeId> data_owner;
  /// How many thread attributes are about a variable.
  std::unordered_map<std::uint32_t, std::uint32_t> thread_uses;
  /// Variables and buffers that the body, the attributes or other buffers use.
  std::unordered_set<std::uint32_t> used;

  bool is_used(Node node) const { return used.contains(index(node.id())); }
  bool owns_data(Node buffer) const;
};

/// The buffer of a parameter; undefined where it has none.
Node buffer_of(Node param, const NodeMap& buffer_map);

Definitions definitions_of(Node function);

/// Whether an AttrStmt is what `T.launch_thread` makes.
bool is_launch(Node attr_stmt);

/// Whether a buffer that states no pointer gets this one: a pointer to its own element type.
bool has_usual_pointer(Node buffer);

}  // namespace mlf::tir::tvmscript
