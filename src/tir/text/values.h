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
#include <utility>
#include <vector>

#include "mlf/tir/module.h"
#include "support/source_text.h"
#include "tir/text/expression_parser.h"

namespace mlf::tir::text {

enum class ValueKind : std::uint8_t {
  node,     ///< an expression, a Buffer, a type or another object: `node`
  none,     ///< None
  boolean,  ///< True, False
  integer,
  real,
  string,
  name,          ///< not looked up yet, or unbound: `T.exp`, `float32`
  member,        ///< `A.strides`, `A.vload`; the buffer is `node`
  access,        ///< `A[…]`: items are the indices; `node` is what is subscripted, if it is known
  metadata_key,  ///< `metadata["Runtime"]`; its item is the string
  list,
  tuple,
  dict,     ///< items are key, value, key, value, …
  keyword,  ///< its item is the value
  slice,    ///< items are begin, end and possibly step
  absent,   ///< an omitted bound
  lambda,
  elements,    ///< of a constant, as text
  binding,     ///< `x: T = v` of a `let`: `node` is the variable, its item the value
  definition,  ///< the name before `Buffer(` or `DataProducer(`
};

std::string_view to_string(ValueKind kind);

struct Value {
  ValueKind kind = ValueKind::absent;
  SyntaxId syntax = 0;
  NodeId node = NodeId::none;
  std::uint32_t first = 0;  ///< of its items
  std::uint32_t count = 0;
};

/// The syntax of one statement and its values; both are valid until `clear`.
class Values {
 public:
  explicit Values(const support::SourceText& source) : source_(source) {}

  // Keeps the memory, because the next statement needs about as much.
  void clear() {
    tree_.clear();
    stack_.clear();
    items_.clear();
    decoded_.clear();
  }
  /// Exchanges syntax and values, so that another statement can be read in the middle of one. Spans
  /// stay valid.
  void swap(Values& other) noexcept {
    std::swap(tree_, other.tree_);
    stack_.swap(other.stack_);
    items_.swap(other.items_);
    decoded_.swap(other.decoded_);
  }

  // --- Syntax ----------------------------------------------------------------------------------
  SyntaxTree& tree() { return tree_; }
  const Syntax& syntax(SyntaxId id) const { return tree_[id]; }
  bool is(SyntaxId id, SyntaxKind kind) const { return tree_[id].kind == kind; }
  std::vector<SyntaxId> children(SyntaxId id) const { return tree_.children(id); }
  std::string_view slice(std::uint32_t begin, std::uint32_t end) const {
    return source_.text.substr(begin, end - begin);
  }
  std::string_view text(SyntaxId id) const { return slice(tree_[id].begin, tree_[id].end); }
  /// The word after the dot of a member, the word before the `=` of a keyword, the type of an
  /// annotation or a cast.
  std::string_view name(SyntaxId id) const {
    return slice(tree_[id].name_begin, tree_[id].name_end);
  }

  // --- The stack of values without an owner ----------------------------------------------------
  void push(const Value& value) { stack_.push_back(value); }
  // In place: a value that is built elsewhere and copied at once waits for its parts to be stored.
  void push(ValueKind kind, SyntaxId id) {
    Value& value = stack_.emplace_back();
    value.kind = kind;
    value.syntax = id;
  }
  void push(NodeId node, SyntaxId id) {
    push(ValueKind::node, id);
    stack_.back().node = node;
  }
  /// Replaces the last `count` values by a node.
  void replace(std::size_t count, NodeId node, SyntaxId id) {
    drop(count);
    push(node, id);
  }
  Value pop() {
    const Value value = stack_.back();
    stack_.pop_back();
    return value;
  }
  void drop(std::size_t count) { stack_.resize(stack_.size() - count); }
  std::size_t depth() const { return stack_.size(); }
  Value& top() { return stack_.back(); }
  std::span<const Value> top(std::size_t count) const { return std::span(stack_).last(count); }
  /// Moves the last values to their final place; returns a value that contains them.
  // Items never move again, so positions stay valid.
  Value take_items(std::size_t count) {
    const Value holder = hold(top(count));
    drop(count);
    return holder;
  }
  /// Replaces the values of the children of `id`, or the last `count`, with one that contains them.
  Value& gather(ValueKind kind, SyntaxId id) { return gather(kind, id, syntax(id).arity); }
  Value& gather(ValueKind kind, SyntaxId id, std::size_t count);
  /// The same for syntax whose value has one kind in every dialect: a literal, a list, an argument
  /// with a keyword. The value of other syntax is absent.
  Value& gather(SyntaxId id);
  /// A value that contains values that were never on the stack.
  Value hold(std::span<const Value> values) {
    const auto first = static_cast<std::uint32_t>(items_.size());
    items_.insert(items_.end(), values.begin(), values.end());
    return {.first = first, .count = static_cast<std::uint32_t>(values.size())};
  }

  // --- Parts of a value ------------------------------------------------------------------------
  const Value& item(const Value& value, std::size_t i) const { return items_[value.first + i]; }
  void set_item(const Value& value, std::size_t i, const Value& item) {
    items_[value.first + i] = item;
  }
  /// The value inside `name=value`.
  const Value& keyword_value(const Value& value) const { return items_[value.first]; }
  std::vector<Value> items(const Value& value) const {
    const auto first = items_.begin() + value.first;
    return {first, first + value.count};
  }
  /// Elements of a list or tuple; any other value is the only element.
  std::vector<Value> elements(const Value& value) const {
    const bool is_list = value.kind == ValueKind::list || value.kind == ValueKind::tuple;
    return is_list ? items(value) : std::vector{value};
  }
  std::string_view text(const Value& value) const { return text(value.syntax); }
  std::string_view name(const Value& value) const { return name(value.syntax); }
  std::uint32_t begin(const Value& value) const { return tree_[value.syntax].begin; }
  /// The content of a string literal, with resolved escapes.
  std::string_view decoded(const Value& value);

  [[noreturn]] void fail(SyntaxId at, std::string message) const {
    support::fail_at(source_, tree_[at].begin, std::move(message), tree_[at].end - tree_[at].begin);
  }
  [[noreturn]] void fail(const Value& at, std::string message) const {
    fail(at.syntax, std::move(message));
  }

 private:
  const support::SourceText& source_;
  SyntaxTree tree_;
  std::vector<Value> stack_;
  std::vector<Value> items_;
  std::deque<std::string> decoded_;  // strings with escapes; views of them stay valid
};

/// The arguments of one call: positional ones, then those with a keyword.
class Arguments {
 public:
  /// `items` are the arguments; `callee` is the name in the text.
  Arguments(const Values& values, const Value& call, std::string_view callee, const Value& items);

  std::size_t size() const { return positional_; }  ///< positional ones
  const Value& operator[](std::size_t i) const { return values_->item(items_, i); }
  std::vector<Value> positional() const {
    std::vector<Value> values = values_->items(items_);
    values.resize(positional_);
    return values;
  }
  // Few arguments have keywords, so a search is as fast as a table.
  std::optional<Value> keyword(std::string_view name) const {
    for (std::uint32_t i = positional_; i < items_.count; ++i) {
      if (values_->name((*this)[i]) == name) return values_->keyword_value((*this)[i]);
    }
    return std::nullopt;
  }
  /// By position, or by name.
  std::optional<Value> find(std::size_t position, std::string_view name) const {
    return position < positional_ ? std::optional((*this)[position]) : keyword(name);
  }
  /// The same; fails if it is missing.
  Value get(std::size_t position, std::string_view name) const;

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

  const Value& call() const { return call_; }
  std::string_view callee() const { return callee_; }
  [[noreturn]] void fail(std::string message) const { values_->fail(call_, std::move(message)); }

 private:
  const Values* values_;
  Value call_;
  std::string_view callee_;
  Value items_;
  std::uint32_t positional_ = 0;
};

}  // namespace mlf::tir::text
