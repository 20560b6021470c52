// Prints expressions, attribute values and types, on its own stack instead of by recursion, and
// manages the lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "mlf/tir/document.h"
#include "mlf/tir/module.h"
#include "mlf/tir/write.h"
#include "support/name_map.h"
#include "tir/node_queries.h"
#include "tir/tvm_features.h"
#include "tir/tvmscript/forms.h"

namespace mlf::tir::tvmscript {

/// The form in which a node is printed.
enum class PrintAs : std::uint8_t {
  text,           ///< no node: `text` unchanged
  expr,           ///< an expression
  value,          ///< the value of an attribute or annotation, in which lists are lists
  type,           ///< a type annotation
  type_object,    ///< a type as Python's constructors make it
  lambda_begins,  ///< no node: the body of a lambda follows, which Python evaluates
  lambda_ends,
};

/// The level that an operator needs to stand without brackets; 0: every operator may.
using Level = std::uint8_t;

struct TextFragment {
  PrintAs as = PrintAs::text;
  Level level = 0;
  Node node{};
  std::string text{};
};

class TextFragments {
 public:
  TextFragments& text(std::string_view words) {
    fragments_.push_back({PrintAs::text, 0, {}, std::string(words)});
    return *this;
  }
  TextFragments& node(PrintAs as, Node node, Level level = 0) {
    fragments_.push_back({as, level, node, {}});
    return *this;
  }
  TextFragments& expr(Node node, Level level = 0) { return this->node(PrintAs::expr, node, level); }
  TextFragments& value(Node node) { return this->node(PrintAs::value, node); }
  /// The elements with a comma between them.
  TextFragments& list(NodeList nodes, PrintAs as = PrintAs::expr) {
    std::string_view separator;
    for (const Node element : nodes) {
      text(separator).node(as, element);
      separator = ", ";
    }
    return *this;
  }
  /// `[i, j]`, and `[()]` where there is none.
  TextFragments& indices(NodeList nodes) {
    text("[");
    return nodes.empty() ? text("()]") : list(nodes).text("]");
  }
  /// `"name": value` for each entry of a map of names.
  TextFragments& entries(const NodeMap& map);
  TextFragments& mark(PrintAs as) {
    fragments_.push_back({as, 0, {}, {}});
    return *this;
  }
  TextFragments& append(const TextFragments& other) {
    fragments_.insert(fragments_.end(), other.fragments_.begin(), other.fragments_.end());
    return *this;
  }

  const std::vector<TextFragment>& all() const { return fragments_; }
  void clear() { fragments_.clear(); }

 private:
  std::vector<TextFragment> fragments_;
};

/// Whether the script of TVM v0.`minor` is the old one: every call states its dtype by keyword.
inline bool is_old_script(std::uint8_t minor) {
  return !has(minor, TvmFeature::script_of_nodes);
}

// --- Words of Python ---------------------------------------------------------------------------

/// Whether TVMScript has a function with this type's name: `T.int32`, `T.float16x4`.
bool has_function(DType dtype);
/// Whether TVMScript has a form of its own for a type: `T.int32`, `T.handle("int8", "global")`.
bool has_type_function(Node type, std::uint8_t tvm_minor_version);
/// Whether it has one for the type of a variable.
bool has_annotation(Node var, std::uint8_t tvm_minor_version);
/// The spelling in quotes: `"int32"`. Throws for custom types, whose names are unknown.
std::string quoted_dtype(DType dtype);
/// `text` as a Python string literal, escaped.
std::string quoted(std::string_view text);
/// The shortest literal that reads as `value`; whole numbers in the form of v0.18 or of older
/// versions. Infinite values and NaN are words in quotes.
std::string real_literal(double value, std::uint8_t tvm_minor_version);
/// The same as an argument of a Python function that accepts these words: `float("inf")`.
std::string real_argument(double value, std::uint8_t tvm_minor_version);

/// All elements of an NDArray as a Python list. Returns nullopt if the list would be too long or
/// would lose something: TVM's parser makes no array of bfloat16, and numbers lose the payload of
/// NaNs. Before v0.12 there is only the list, written without blanks and with a comma at its end:
/// TVM's own output there has blanks and is not complete.
std::optional<std::string> constant_elements(Node constant, std::uint8_t tvm_minor_version);

// --- Names -------------------------------------------------------------------------------------

class ScopedNames {
 public:
  /// The scope in which the name is reserved; its meaning ends with the scope in any case.
  enum class Lifetime : std::uint8_t { scope, function };

  /// Names `id` after `hint`; a name that is taken gets a number.
  std::string_view bind(NodeId id, std::string_view hint, Lifetime lifetime = Lifetime::scope);
  /// Binds `text`, which is not a name, to `id`: `A.data`.
  void alias(NodeId id, std::string text) {
    std::string& current = texts_[index(id)];
    undo_.push_back({id, {}, std::exchange(current, std::move(text)), Lifetime::scope});
    changed_.push_back(id);
  }
  /// The text of a node; empty if it has none in this scope.
  std::string_view find(NodeId id) const {
    const auto found = texts_.find(index(id));
    return found == texts_.end() ? std::string_view() : found->second;
  }
  /// A free name, which is taken from now on.
  std::string fresh(std::string_view hint);

  /// The beginning of a scope; `release` removes names bound since.
  std::size_t mark() const { return undo_.size(); }
  void release(std::size_t mark);
  /// The nodes that got or lost a text since the last call, some of them more than once.
  std::vector<NodeId> take_changed() { return std::exchange(changed_, {}); }
  /// Where a function ends.
  void clear() {
    support::discard(texts_);
    support::discard(taken_);
    support::discard(next_number_);
    undo_.clear();
    changed_.clear();
  }

 private:
  struct Undo {
    NodeId id;           // none if only the name was reserved
    std::string name;    // empty if no name was reserved
    std::string before;  // the node's previous text
    Lifetime lifetime = Lifetime::scope;
  };

  std::unordered_map<std::uint32_t, std::string> texts_;
  support::NameSet<std::string> taken_;
  support::NameMap<std::string, std::size_t> next_number_;
  std::vector<Undo> undo_;
  std::vector<NodeId> changed_;
};

/// Whether a name may be written unchanged: an identifier that is not a keyword of Python.
bool is_identifier(std::string_view name);

class MetadataObjects {
 public:
  /// `metadata["Runtime"][0]` for an object; equal for the same object.
  std::string reference(Node object);
  /// The same for an array that is not in the metadata.
  std::string reference_to_omitted(Node array);

  bool empty() const { return objects_.empty(); }
  /// The objects by type key, in the order of their indices.
  const std::map<std::string, std::vector<NodeId>, std::less<>>& objects() const {
    return objects_;
  }
  /// Whether the text refers to objects that its own source omitted.
  bool has_missing() const { return has_missing_; }
  void note_missing() { has_missing_ = true; }

 private:
  std::map<std::string, std::vector<NodeId>, std::less<>> objects_;
  std::unordered_map<NodeId, std::size_t> positions_;  ///< in the list of their type key
  std::unordered_map<NodeId, std::size_t> left_out_;   ///< positions of omitted arrays
  bool has_missing_ = false;
};

// --- The printer -------------------------------------------------------------------------------

/// Thrown if a variable is used and no scope defines it.
struct OutOfScope {
  Node var;
};
[[noreturn]] void refuse(const OutOfScope& use);

class Printer {
 public:
  Printer(const Document& document, MetadataObjects& metadata, const ScriptOptions& options);

  /// Appends the text of `fragments`.
  void print(const TextFragments& fragments, std::string& out);
  std::string text_of(const TextFragments& fragments) {
    std::string text;
    print(fragments, text);
    return text;
  }

  // --- Calls of the functions in tvmscript/forms.cpp -------------------------------------------
  /// Whether this version has a function that makes nodes of a kind.
  // For objects without a form, the writer uses the metadata.
  bool has_form(Kind kind) const { return form_of(kind, minor_version_) != nullptr; }
  /// `T.Ramp(`, `T.ramp(`; rejects a kind without a form in this version.
  TextFragments& begin_form(Kind kind, TextFragments& out) const;
  /// The call of a regular form for a node, with the arguments in its row.
  TextFragments& regular_form(Node node, TextFragments& out) const;

  /// The name of a variable or buffer. Throws OutOfScope if no scope defines it.
  std::string_view name_of(Node node) const;
  /// `T.int32` as a type.
  std::string type_name(DType dtype) const;
  ScopedNames& names() { return names_; }
  std::uint8_t minor_version() const { return minor_version_; }
  /// Whether this version has a feature.
  bool prints(TvmFeature feature) const { return has(minor_version_, feature); }
  bool is_old() const { return is_old_; }
  bool has_constants() const { return options_.constants != ConstantPlace::none; }

 private:
  TextFragments& form_argument(Node node, const FormArgument& argument, TextFragments& out) const;

  TextFragments& expand(const TextFragment& fragment, TextFragments& out);
  TextFragments& expand_expr(Node node, Level level, TextFragments& out);
  TextFragments& expand_value(Node node, TextFragments& out);
  TextFragments& expand_type(Node node, TextFragments& out);
  TextFragments& pointer_type(Node node, TextFragments& out);
  TextFragments& expand_type_object(Node node, TextFragments& out);

  TextFragments& var(Node node, TextFragments& out);
  TextFragments& int_imm(Node node, TextFragments& out);
  TextFragments& float_imm(Node node, TextFragments& out);
  TextFragments& binary(Node node, Level level, TextFragments& out);
  TextFragments& infix(Node node, Level level, TextFragments& out);
  TextFragments& logical_not(Node node, Level level, TextFragments& out);
  TextFragments& let(Node node, TextFragments& out);
  TextFragments& call(Node node, TextFragments& out);
  TextFragments& call_of_op(Node node, TextFragments& out);
  TextFragments& call_of_function(Node node, TextFragments& out);
  TextFragments& callee(Node node, TextFragments& out) const;
  TextFragments& old_call(std::string_view function, Node node, TextFragments& out);
  TextFragments& reduce(Node node, TextFragments& out);
  TextFragments& comm_reducer(Node node, TextFragments& out);
  TextFragments& iter_var(Node node, TextFragments& out);
  TextFragments& buffer_load(Node node, TextFragments& out);
  TextFragments& region(Node node, TextFragments& out);
  TextFragments& target(Node node, TextFragments& out);
  TextFragments& object(Node node, TextFragments& out);
  TextFragments& box(Node node, TextFragments& out);
  void refuse_local_variables(Node object) const;

  const Module& module_;
  std::uint8_t minor_version_;
  bool is_old_;                           // see is_old_script
  std::unordered_set<NodeId> functions_;  // GlobalVars of the module: calls name its members
  MetadataObjects& metadata_;
  const ScriptOptions& options_;
  std::uint64_t most_nodes_;
  std::uint64_t written_ = 0;
  ScopedNames names_;
  std::size_t open_lambdas_ = 0;
  std::vector<TextFragment> stack_;
};

/// The indentation of a line, in steps.
using Indent = std::uint32_t;

class Script {
 public:
  /// Lines of level `outermost` begin without blanks.
  explicit Script(Printer& printer, Indent outermost = 0)
      : printer_(printer), outermost_(outermost) {}

  /// The next line is the first one of a statement, or of a buffer that a block allocates.
  void begin(Node node) { begins_.emplace_back(node.id(), text_.size()); }

  void line(Indent indent, const TextFragments& fragments);
  void line(Indent indent, std::string_view text) { line(indent, TextFragments().text(text)); }
  void empty_line() { text_ += '\n'; }
  const std::string& text() const { return text_; }
  /// The beginning of the next line; `rewind` removes later output.
  std::size_t mark() const { return text_.size(); }
  void rewind(std::size_t mark) {
    text_.resize(mark);
    while (!begins_.empty() && begins_.back().second >= mark) begins_.pop_back();
  }
  /// The line of each `begin`, counted from 1. A node that is printed several times has the first.
  std::map<NodeId, std::uint32_t> first_lines() const;

 private:
  Printer& printer_;
  Indent outermost_;
  std::string text_;
  std::vector<std::pair<NodeId, std::size_t>> begins_;  // and the offset
};

/// `begin + extent`, folded if both are numbers.
TextFragments end_of(Node begin, Node extent);
/// `[begin:end, i]` of a region.
TextFragments& append_slices(NodeList ranges, TextFragments& out);

[[noreturn]] void refuse(std::string message);
/// Rejects a node because TVMScript of a version has no form for its kind; states which versions
/// do.
[[noreturn]] void refuse_kind(Kind kind, std::uint8_t minor_version);

}  // namespace mlf::tir::tvmscript
