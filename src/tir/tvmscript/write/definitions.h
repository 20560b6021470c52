// What a function has to define before its statements can use it.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "mlf/tir/module.h"
#include "tir/tvmscript/write/spelling.h"

namespace mlf::tir::tvmscript {

/// Variables and buffers of one function by where they come from.
struct Definitions {
  /// Variables that no statement defines, in the order of their first use: declared at the top.
  std::vector<Node> free_vars;
  /// Buffers that no statement declares: declared as soon as their parts are.
  std::vector<Node> free_buffers;
  /// For data pointers that nothing else defines: the buffer that brings them along.
  std::unordered_map<std::uint32_t, NodeId> data_owner;
  /// How many thread attributes are about a variable.
  std::unordered_map<std::uint32_t, std::uint32_t> thread_uses;
  /// Variables at the top that launched threads take, and the tags of those.
  std::unordered_map<std::uint32_t, std::string_view> thread_tags;
  /// Variables and buffers that the body, the attributes or other buffers use.
  std::unordered_set<std::uint32_t> used;

  /// Variables that lets and launched threads define: they may be declared at the top instead.
  std::unordered_set<std::uint32_t> declarable;

  bool is_used(Node node) const { return used.contains(index(node.id())); }
  bool owns_data(Node buffer) const;
};

/// The buffer of a parameter; undefined where it has none.
Node buffer_of(Node param, const NodeMap& buffer_map);

/// `declared`: variables to declare at the top, although statements define them.
Definitions definitions_of(Node function, const Spelling& spelling,
                           const std::unordered_set<std::uint32_t>& declared);

/// Whether an AttrStmt is what `T.launch_thread` makes.
bool is_launch(Node attr_stmt);

/// Whether `x: T.int32 = v` may be written for a LetStmt before v0.12, whose parser takes calls and
/// constants for such values, and knows no other types than the usual ones.
bool is_annotated_let(Node let);

/// Whether a buffer that states no pointer gets this one: a pointer to its own element type.
bool has_usual_pointer(Node buffer);

}  // namespace mlf::tir::tvmscript
