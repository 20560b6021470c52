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

/// The buffer of a parameter; undefined where it has none.
Node buffer_of(Node param, const NodeMap& buffer_map);

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

class StatementPrinter {
 public:
  StatementPrinter(Printer& printer, Script& script, const Definitions& definitions,
                   Declarations& declarations);

  /// Prints `body` as the rest of a suite.
  void print(Node body, Indent indent);

 private:
  /// Whether a statement is the last one of its suite: then what it opens may reach to the end.
  enum class Place : std::uint8_t { inside, last };
  struct Step {
    enum class Task : std::uint8_t { statement, words, end_of_scope };
    Task task = Task::statement;
    Place place = Place::last;
    Indent indent = 0;
    Node node{};
    std::string_view words{};
    std::size_t mark = 0;
  };
  /// The line in front of the body of a statement around others.
  struct Header {
    /// Whether a scope may do without a suite of its own where it is the last of one.
    enum class Suite : std::uint8_t { if_inside, always };
    /// What the name refers to: what the call makes, or a buffer around it.
    enum class Names : std::uint8_t { itself, buffer };
    TextFragments call{};  ///< `T.allocate(…)`
    Node defines{};        ///< the variable or buffer that the call makes
    TextFragments
        annotated{};  ///< the line to write instead where it reaches to the end of the suite
    Suite suite = Suite::if_inside;
    Names names = Names::itself;
  };

  void statement(const Step& step);
  void sequence(const Step& step);
  void branch(const Step& step);
  void loop(const Step& step);
  TextFragments loop_range(Node node);
  void loop_bounds(Node node, TextFragments& out);
  void evaluate(const Step& step);
  void store(const Step& step);
  void line_of_form(const Step& step);
  void prefetch(const Step& step);

  void around(const Step& step, Header header, Node body);
  void let(const Step& step);
  void let_of_taken(const Step& step);
  void assertion(const Step& step);
  void attribute(const Step& step);
  void allocate(const Step& step);
  void allocate_const(const Step& step);
  TextFragments elements(Node allocate_const);
  void decl_buffer(const Step& step);
  void realize(const Step& step, Node scope);

  void block_realize(const Step& step);
  void block(const Step& step, Node realize);
  void block_head(Node block, Node realize, Indent indent);
  void axes(Node block, Node realize, Indent indent);
  void regions(std::string_view callee, NodeList regions, Indent indent);

  void suite(Node body, Indent indent);
  std::size_t open_scope() { return printer_.names().mark(); }
  void close_scope_after(std::size_t mark);
  std::string define(Node node);
  std::string define(const Header& header);
  Header::Names names_of_allocations() const;
  void annotations(const NodeMap& map, TextFragments& out);

  Printer& printer_;
  Script& script_;
  const Definitions& definitions_;
  Declarations& declarations_;
  std::vector<Step> stack_;
};

}  // namespace mlf::tir::tvmscript
