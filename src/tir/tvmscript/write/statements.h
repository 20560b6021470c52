// Prints the statements of a function and their declarations, on its own stack instead of by
// recursion.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "mlf/tir/module.h"
#include "tir/tvmscript/write/printer.h"

namespace mlf::tir::tvmscript {

// --- Objects that a function must define before its statements use them ------------------------

/// Variables and buffers of one function, by the place of their definition.
struct Definitions {
  /// Variables that no statement defines, in the order of their first use: declared at the top.
  std::vector<Node> free_vars;
  /// Buffers that no statement declares: declared as soon as their parts are.
  std::vector<Node> free_buffers;
  /// The buffer of each data pointer without another definition.
  std::unordered_map<NodeId, NodeId> data_owner;
  /// The number of thread attributes of a variable.
  std::unordered_map<NodeId, std::uint32_t> thread_uses;
  /// Variables at the top that launched threads use, and their tags.
  std::unordered_map<NodeId, std::string_view> thread_tags;
  /// Variables and buffers that the body, the attributes or other buffers use.
  std::unordered_set<NodeId> used;

  /// Variables that lets and launched threads define: they may be declared at the top instead.
  std::unordered_set<NodeId> declarable;

  bool is_used(Node node) const { return used.contains(node.id()); }
  bool owns_data(Node buffer) const;
};

/// `declared`: variables to declare at the top, although statements define them.
Definitions definitions_of(Node function, std::uint8_t tvm_minor_version,
                           const std::unordered_set<NodeId>& declared);

/// Whether `T.launch_thread` makes this AttrStmt.
bool is_launch(Node attr_stmt);

/// Whether `x: T.int32 = v` may be written for a LetStmt before v0.12, whose parser accepts only
/// calls and constants as such values, and only the usual types.
bool is_annotated_let(Node let);

/// Whether a buffer without a stated pointer gets this one: a pointer to its own element type.
bool has_usual_pointer(Node buffer);

// --- Declarations of variables and buffers -----------------------------------------------------

/// Finds the free buffers without a name whose variables all have names. Looks only at buffers for
/// which a name changed since the last search.
class ReadyBuffers {
 public:
  /// Both must outlive this object.
  ReadyBuffers(const Definitions& definitions, ScopedNames& names);

  /// The first one, in the order of `Definitions::free_buffers`; no node if there is none.
  Node first();
  /// The next one behind it, after the caller has named it.
  Node next();

 private:
  struct Buffer {
    /// Those in its parts. Its data variable is not among them if the buffer defines it.
    std::vector<NodeId> vars{};
    std::size_t missing = 0;  ///< the index of a variable that had no name
  };

  void note_changes();
  bool waits(std::size_t position);

  const Definitions& definitions_;
  ScopedNames& names_;
  std::vector<Buffer> buffers_;
  std::unordered_map<NodeId, std::size_t> positions_;
  /// Buffers that wait for the name of a variable: the one at `missing`.
  std::unordered_map<NodeId, std::vector<std::size_t>> waiting_;
  std::set<std::size_t> candidates_;
  std::size_t next_ = 0;
};

class Declarations {
 public:
  Declarations(Printer& printer, Script& script, const Definitions& definitions);

  /// `x = T.int32()` for each variable without a definition.
  void declare_free_vars(Indent indent);
  /// Buffers without a declaration whose parts all have names by now. Declares them at `indent`,
  /// for the scope of the names.
  void declare_ready_buffers(Indent indent);
  /// `T.preflattened_buffer(A, (4, 4), "float32", data=A.data)`
  void state_before_flattening(Node buffer, Node before, Indent indent);

  /// `(16,), "int8", align=16`: the text after the bracket of T.Buffer and similar forms. States
  /// the buffer's pointer unless the buffer defines it.
  TextFragments arguments(Node buffer);
  /// Names the buffer and the objects that it defines; returns the name.
  std::string_view bind(Node buffer);
  /// The text after `x: `: a type, or a constructor of the variable.
  TextFragments annotation(Node var);
  /// Whether `T.Buffer((16,), "float32")` in the place of a parameter describes the whole buffer.
  bool is_plain(Node buffer) const;

 private:
  TextFragments declaration(Node var);
  TextFragments old_declaration(Node var);
  TextFragments constructor(Node var);
  bool has_default_offset(Node buffer) const;

  Printer& printer_;
  Script& script_;
  const Definitions& definitions_;
  ReadyBuffers ready_;
};

// --- Statements --------------------------------------------------------------------------------

/// Prints `body` as the rest of a suite.
void print_statements(Printer& printer, Script& script, const Definitions& definitions,
                      Declarations& declarations, Node body, Indent indent);

}  // namespace mlf::tir::tvmscript
