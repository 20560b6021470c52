// Prints the statements of a function, on a stack of its own instead of by recursion, and what they
// declare.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "mlf/tir/module.h"
#include "tir/tvmscript/write/printer.h"

namespace mlf::tir::tvmscript {

// --- What a function has to define before its statements can use it ----------------------------

/// Variables and buffers of one function by where they come from.
struct Definitions {
  /// Variables that no statement defines, in the order of their first use: declared at the top.
  std::vector<Node> free_vars;
  /// Buffers that no statement declares: declared as soon as their parts are.
  std::vector<Node> free_buffers;
  /// For data pointers that nothing else defines: the buffer that brings them along.
  std::unordered_map<NodeId, NodeId> data_owner;
  /// How many thread attributes are about a variable.
  std::unordered_map<NodeId, std::uint32_t> thread_uses;
  /// Variables at the top that launched threads take, and the tags of those.
  std::unordered_map<NodeId, std::string_view> thread_tags;
  /// Variables and buffers that the body, the attributes or other buffers use.
  std::unordered_set<NodeId> used;

  /// Variables that lets and launched threads define: they may be declared at the top instead.
  std::unordered_set<NodeId> declarable;

  bool is_used(Node node) const { return used.contains(node.id()); }
  bool owns_data(Node buffer) const;
};

/// `declared`: variables to declare at the top, although statements define them.
Definitions definitions_of(Node function, const Spelling& spelling,
                           const std::unordered_set<NodeId>& declared);

/// Whether an AttrStmt is what `T.launch_thread` makes.
bool is_launch(Node attr_stmt);

/// Whether `x: T.int32 = v` may be written for a LetStmt before v0.12, whose parser takes calls and
/// constants for such values, and knows no other types than the usual ones.
bool is_annotated_let(Node let);

/// Whether a buffer that states no pointer gets this one: a pointer to its own element type.
bool has_usual_pointer(Node buffer);

// --- Declarations of variables and buffers -----------------------------------------------------

class Declarations {
 public:
  Declarations(Printer& printer, Script& script, const Definitions& definitions);

  /// `x = T.int32()` for each variable that nothing defines.
  void declare_free_vars(Indent indent);
  /// Buffers that nothing declares and whose parts all have names by now. They are declared where
  /// `indent` says, and for as long as the names of the scope.
  void declare_ready_buffers(Indent indent);
  /// `T.preflattened_buffer(A, (4, 4), "float32", data=A.data)`
  void state_before_flattening(Node buffer, Node before, Indent indent);

  /// `(16,), "int8", align=16`: what follows the bracket of T.Buffer and the like. The buffer's
  /// pointer is stated unless it comes along with the buffer.
  TextFragments arguments(Node buffer);
  /// Names the buffer, and what comes along with it; gives the name.
  std::string_view bind(Node buffer);
  /// The words behind `x: `: a type, or a constructor of the variable.
  TextFragments annotation(Node var);
  /// Whether `T.Buffer((16,), "float32")` in place of a parameter says all of a buffer.
  bool is_plain(Node buffer) const;

 private:
  TextFragments declaration(Node var);
  TextFragments old_declaration(Node var);
  TextFragments constructor(Node var);
  bool is_ready(Node buffer) const;
  bool has_default_offset(Node buffer) const;

  Printer& printer_;
  Script& script_;
  const Definitions& definitions_;
};

// --- Statements --------------------------------------------------------------------------------

/// Prints `body` as the rest of a suite.
void print_statements(Printer& printer, Script& script, const Definitions& definitions,
                      Declarations& declarations, Node body, Indent indent);

}  // namespace mlf::tir::tvmscript
