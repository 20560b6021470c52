// The values of syntax, and the arguments of calls. A value becomes a node at its use: `16` is an
// expression in a sum and a plain number in an alignment, `A[0:4]` a load or a region.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mlf/tir/module.h"
#include "support/source_text.h"
#include "tir/text/expression_parser.h"

namespace mlf::tir::tvmscript {

enum class ScriptValueKind : std::uint8_t {
  node,     ///< an expression, a Buffer, a type or another object: `node`
  none,     ///< None
  boolean,  ///< True, False
  integer,
  real,
  string,
  path,          ///< `T.exp`, or an unbound name
  member,        ///< `A.strides`, `A.vload`; the buffer is `node`
  access,        ///< `A[…]`: `node` is the buffer, or none for a producer; items are the indices
  metadata_key,  ///< `metadata["Runtime"]`; its item is the string
  list,
  tuple,
  dict,     ///< items are key, value, key, value, …
  keyword,  ///< its item is the value
  slice,    ///< items are begin, end and possibly step
  absent,   ///< an omitted bound
  lambda,
  elements,  ///< of a constant, as text
};

std::string_view to_string(ScriptValueKind kind);

struct ScriptValue {
  ScriptValueKind kind = ScriptValueKind::absent;
  text::SyntaxId syntax = 0;
  NodeId node = NodeId::none;
  std::uint32_t first = 0;  ///< of its items
  std::uint32_t count = 0;
};

/// The syntax of one statement and its values; both are valid until `clear`.
class Values {
 public:
  explicit Values(const support::SourceText& source) : source_(source) {}

  text::SyntaxTree& tree() { return tree_; }
  const text::Syntax& syntax(text::SyntaxId id) const { return tree_[id]; }
  const std::vector<text::SyntaxId>& children(text::SyntaxId id) {
    tree_.children(id, children_);
    return children_;
  }
  void clear();

  // --- The stack of values without an owner ----------------------------------------------------
  void push(const ScriptValue& value) { stack_.push_back(value); }
  // In place: a value that is built elsewhere and copied at once waits for its parts to be stored.
  void push(ScriptValueKind kind, text::SyntaxId id) {
    ScriptValue& value = stack_.emplace_back();
    value.kind = kind;
    value.syntax = id;
  }
  void push(NodeId node, text::SyntaxId id) {
    push(ScriptValueKind::node, id);
    stack_.back().node = node;
  }
  ScriptValue pop();
  void drop(std::size_t count) { stack_.resize(stack_.size() - count); }
  ScriptValue& top() { return stack_.back(); }
  /// The value that is `depth` below the top.
  const ScriptValue& below_top(std::size_t depth) const {
    return stack_[stack_.size() - 1 - depth];
  }
  /// Moves the last values to their final place; returns a value that contains them.
  ScriptValue take_items(std::size_t count);
  /// The same for values that were never on the stack.
  ScriptValue hold(const std::vector<ScriptValue>& values);

  // --- Parts of a value ------------------------------------------------------------------------
  const ScriptValue& item(const ScriptValue& value, std::size_t i) const {
    return items_[value.first + i];
  }
  void set_item(const ScriptValue& value, std::size_t i, const ScriptValue& item) {
    items_[value.first + i] = item;
  }
  /// The value inside `name=value`.
  const ScriptValue& keyword_value(const ScriptValue& value) const { return items_[value.first]; }
  /// Elements of a list or tuple; any other value is the only element.
  std::vector<ScriptValue> elements(const ScriptValue& value) const;
  std::string_view slice(std::uint32_t begin, std::uint32_t end) const {
    return source_.text.substr(begin, end - begin);
  }
  std::string_view text(const ScriptValue& value) const { return text(value.syntax); }
  std::string_view text(text::SyntaxId id) const { return slice(tree_[id].begin, tree_[id].end); }
  /// The word after the dot of a member, the word before the `=` of a keyword.
  std::string_view name(const ScriptValue& value) const {
    return slice(tree_[value.syntax].name_begin, tree_[value.syntax].name_end);
  }
  std::uint32_t begin(const ScriptValue& value) const { return tree_[value.syntax].begin; }
  /// The content of a string literal, with resolved escapes.
  std::string_view decoded(const ScriptValue& value);

  [[noreturn]] void fail(const ScriptValue& at, std::string message) const;

 private:
  const support::SourceText& source_;
  text::SyntaxTree tree_;
  std::vector<ScriptValue> stack_;
  std::vector<ScriptValue> items_;
  std::vector<text::SyntaxId> children_;
  std::deque<std::string> decoded_;  // strings with escapes; views of them stay valid
};

/// The arguments of one call: positional ones, then those with a keyword.
class Arguments {
 public:
  /// `items` are the arguments; `callee` is the name in the text.
  Arguments(const Values& values, const ScriptValue& call, std::string_view callee,
            const ScriptValue& items);

  std::size_t size() const { return positional_; }  ///< positional ones
  const ScriptValue& operator[](std::size_t i) const { return values_->item(items_, i); }
  std::optional<ScriptValue> keyword(std::string_view name) const;
  /// By position, or by name.
  std::optional<ScriptValue> find(std::size_t position, std::string_view name) const;
  /// The same; fails if it is missing.
  ScriptValue get(std::size_t position, std::string_view name) const;

  /// Fails unless there are `least` to `most` positional arguments.
  void expect(std::size_t least, std::size_t most) const;
  /// The same; also fails for a keyword that is not among these.
  void expect(std::size_t least, std::size_t most,
              std::initializer_list<std::string_view> known) const {
    expect(least, most);
    expect_keywords(known);
  }
  /// Fails for a keyword that is not among these.
  void expect_keywords(std::span<const std::string_view> known) const;
  void expect_keywords(std::initializer_list<std::string_view> known) const {
    expect_keywords(std::span(known.begin(), known.size()));
  }

  const ScriptValue& call() const { return call_; }
  std::string_view callee() const { return callee_; }
  [[noreturn]] void fail(std::string message) const { values_->fail(call_, std::move(message)); }

 private:
  const Values* values_;
  ScriptValue call_;
  std::string_view callee_;
  ScriptValue items_;
  std::uint32_t positional_ = 0;
};

}  // namespace mlf::tir::tvmscript
