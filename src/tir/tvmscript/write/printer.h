// Prints expressions, attribute values and types, on a stack of its own instead of by recursion,
// and the lines that hold them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mlf/tir/document.h"
#include "mlf/tir/write.h"
#include "tir/tvmscript/forms.h"
#include "tir/tvmscript/write/fragments.h"
#include "tir/tvmscript/write/names.h"
#include "tir/tvmscript/write/spelling.h"

namespace mlf::tir::tvmscript {

/// Thrown where a variable is used and nothing in scope defines it.
struct OutOfScope {
  Node var;
};
[[noreturn]] void refuse(const OutOfScope& use);

/// What a module's functions give the expressions in them.
struct ModuleNames {
  std::vector<NodeId> functions;  ///< GlobalVars of the module
  bool contains(NodeId global_var) const;
};

class Printer {
 public:
  Printer(const Module& module, std::uint8_t minor_version, const ModuleNames& functions,
          MetadataObjects& metadata, const ScriptOptions& options);

  /// Appends the text of `fragments`.
  void print(const TextFragments& fragments, std::string& out);

  // --- Calls of the functions in forms.def: forms.cpp ------------------------------------------
  /// Whether this version has a function that makes nodes of a kind.
  bool has_form(Kind kind) const;
  /// `T.Ramp(`, `T.ramp(`; refuses a kind that this version has no words for.
  TextFragments& begin_form(Kind kind, TextFragments& out) const;
  /// The call that a regular form makes of a node, with the arguments that its row names.
  void regular_form(Node node, TextFragments& out) const;

  /// The name of a variable or buffer. Throws OutOfScope where nothing in scope defines it.
  std::string_view name_of(Node node) const;
  ScopedNames& names() { return names_; }
  std::uint8_t minor_version() const { return minor_version_; }
  const Spelling& spelling() const { return spelling_; }
  const Module& module() const { return module_; }
  bool has_constants() const { return options_.constants != ConstantPlace::none; }

 private:
  void form_argument(Node node, const FormArgument& argument, TextFragments& out) const;

  void expand(const TextFragment& fragment, TextFragments& out);
  void expand_expr(Node node, Level level, TextFragments& out);
  void expand_value(Node node, TextFragments& out);
  void expand_type(Node node, TextFragments& out);
  void pointer_type(Node node, TextFragments& out);
  void expand_type_object(Node node, TextFragments& out);

  void var(Node node, TextFragments& out);
  void int_imm(Node node, TextFragments& out);
  void old_int_imm(Node node, TextFragments& out);
  void float_imm(Node node, TextFragments& out);
  void binary(Node node, Level level, TextFragments& out);
  void infix(Node node, Level level, TextFragments& out);
  void logical_not(Node node, Level level, TextFragments& out);
  void let(Node node, TextFragments& out);
  void call(Node node, TextFragments& out);
  void call_of_op(Node node, TextFragments& out);
  void call_of_function(Node node, TextFragments& out);
  void callee(Node node, TextFragments& out) const;
  void old_call(std::string_view function, Node node, TextFragments& out);
  void reduce(Node node, TextFragments& out);
  void comm_reducer(Node node, TextFragments& out);
  void iter_var(Node node, TextFragments& out);
  void buffer_load(Node node, TextFragments& out);
  void region(Node node, TextFragments& out);
  void target(Node node, TextFragments& out);
  void string_map(const NodeMap& map, TextFragments& out);
  void object(Node node, TextFragments& out);
  void box(Node node, TextFragments& out);
  void refuse_local_variables(Node object) const;

  const Module& module_;
  std::uint8_t minor_version_;
  const Spelling& spelling_;
  const ModuleNames& functions_;
  MetadataObjects& metadata_;
  const ScriptOptions& options_;
  std::uint64_t most_nodes_;
  std::uint64_t written_ = 0;
  ScopedNames names_;
  std::size_t open_lambdas_ = 0;
  std::vector<TextFragment> stack_;
};

/// How deep a line is indented, in steps.
using Indent = std::uint32_t;

class Script {
 public:
  explicit Script(Printer& printer) : printer_(printer) {}

  void line(Indent indent, const TextFragments& fragments);
  void line(Indent indent, std::string_view text);
  void empty_line() { text_ += '\n'; }
  const std::string& text() const { return text_; }
  /// Where the next line begins; `rewind` takes back what was printed since.
  std::size_t mark() const { return text_.size(); }
  void rewind(std::size_t mark) { text_.resize(mark); }

 private:
  Printer& printer_;
  std::string text_;
};

/// `begin + extent`, folded where both are numbers.
TextFragments end_of(Node begin, Node extent);
/// `begin:end` of a region, or the index where only one element is meant.
void append_slice(Node range, TextFragments& out);

/// Whether an expression is the constant `value`.
bool is_int(Node node, std::int64_t value);

[[noreturn]] void refuse(std::string message);
/// Refuses a node because TVMScript of a version has no words for its kind; says which versions do.
[[noreturn]] void refuse_kind(Kind kind, std::uint8_t minor_version);

}  // namespace mlf::tir::tvmscript
