// What the syntax of an expression comes to, on the stack that legacy and repr text evaluate it on.
// Syntax comes in post-order, so one loop over it does: no expression is too deep.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mlf/tir/module.h"
#include "tir/text/expression_parser.h"
#include "tir/text/lexer.h"
#include "tir/text/syntax.h"

namespace mlf::tir::text {

/// The expressions of a statement as they are written, before they mean anything.
class ExpressionText {
 public:
  /// Lexer and grammar must outlive this. Deeper nesting than `max_nesting` is an error.
  ExpressionText(Lexer& lexer, const Grammar& grammar, std::uint32_t max_nesting)
      : source_(lexer.source()), parser_(lexer, grammar, tree_, max_nesting) {}
  ExpressionText(const ExpressionText&) = delete;
  ExpressionText& operator=(const ExpressionText&) = delete;

  /// Parses one expression at the lexer's token.
  SyntaxId parse() { return parser_.parse(); }
  /// Forgets all that was parsed.
  void clear() { tree_.clear(); }

  const SyntaxTree& tree() const { return tree_; }
  const Syntax& syntax(SyntaxId id) const { return tree_[id]; }
  std::string_view text_of(SyntaxId id) const { return slice(tree_[id].begin, tree_[id].end); }
  /// The word of a keyword, the type of an annotation or of a cast.
  std::string_view word_of(SyntaxId id) const {
    return slice(tree_[id].name_begin, tree_[id].name_end);
  }
  /// The name that a call calls or a subscript subscribes; empty for anything else.
  std::string_view head_of(SyntaxId id) const;
  std::vector<SyntaxId> children(SyntaxId id) const;
  /// The arguments of a call that has `count` of them; anything else is an error that shows `form`.
  std::vector<SyntaxId> arguments(SyntaxId call, std::size_t count, std::string_view form) const;
  /// The text for a message, cut where it is long.
  std::string shown(SyntaxId id) const;
  [[noreturn]] void fail(SyntaxId id, std::string message) const;

 protected:
  ~ExpressionText() = default;

 private:
  std::string_view slice(std::uint32_t begin, std::uint32_t end) const {
    return source_.text.substr(begin, end - begin);
  }

  const support::SourceText& source_;
  SyntaxTree tree_;
  ExpressionParser parser_;
};

/// Names stay names until it is clear what they are asked for: `float32` is a dtype inside of a
/// cast, `nullptr` nothing at all.
struct Value {
  enum class Form : std::uint8_t {
    node,      ///< an expression, Range, IterVar, Buffer, BufferRegion, CommReducer
    name,      ///< not looked up yet
    string,    ///< StringImm or String
    list,      ///< its elements are those of a list or tuple
    slice,     ///< `begin:end`: two elements
    element,   ///< `v[i, j]`: its elements are the indices
    iter_var,  ///< its elements are name, domain and tag as far as they are printed
    binding,   ///< `x = v` of a `let` inside of an expression: `node` is the Var, `other` the value
    let,       ///< a binding with its body, for the `let` in front
    head,      ///< the name in front of `Buffer(` or `DataProducer(`
    absent,
  };
  Form form = Form::absent;
  bool is_annotated = false;   ///< a Var at the place of its annotation
  SyntaxId syntax = 0;         ///< where it came from
  SyntaxId keyword = kNone;    ///< the keyword it was given under
  SyntaxId subscripted = 0;    ///< of an element: what is in front of the bracket
  NodeId node = NodeId::none;  ///< of an element: the same, where it is known already
  NodeId other = NodeId::none;
  std::uint32_t first = 0;  ///< its elements: `count` of them, from here on
  std::uint32_t count = 0;

  static constexpr SyntaxId kNone = UINT32_MAX;
};

/// Values and their elements hold until `clear`.
class ExpressionValues : public ExpressionText {
 public:
  using ExpressionText::ExpressionText;

  /// Forgets all syntax and all values.
  void clear();

  std::string_view name_of(const Value& value) const { return text_of(value.syntax); }
  std::span<const Value> elements(const Value& list) const {
    return std::span(elements_).subspan(list.first, list.count);
  }
  /// Fails at a value that is not `what`.
  [[noreturn]] void fail_expected(const Value& value, std::string_view what) const;

 protected:
  ~ExpressionValues() = default;

  void push(const Value& value) { values_.push_back(value); }
  void push(SyntaxId id, NodeId node) {
    values_.push_back({.form = Value::Form::node, .syntax = id, .node = node});
  }
  Value pop();
  void drop(std::size_t count) { values_.resize(values_.size() - count); }
  std::size_t depth() const { return values_.size(); }
  Value& top() { return values_.back(); }
  std::span<const Value> top(std::size_t count) const { return std::span(values_).last(count); }
  /// Keeps `values` where elements are.
  void add_elements(Value& list, std::span<const Value> values);

 private:
  std::vector<Value> values_;
  std::vector<Value> elements_;
};

}  // namespace mlf::tir::text
