// The expressions of a text: their operators, and their values on a stack. Syntax is in post-order,
// so one loop evaluates it at any depth.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mlf/tir/module.h"
#include "tir/text/expression_parser.h"
#include "tir/text/lexer.h"

namespace mlf::tir::legacy {

/// The kind of `a sign b`; nullopt for a sign that is not such an operator. TVMScript has its own
/// kinds: `%` is FloorMod there.
std::optional<Kind> binary_kind(text::Sign sign);

/// Lines, operators, and names that start with '@'; `make_grammar` of context.cpp adds the rest.
text::Grammar infix_grammar();

using text::Sign;
using text::Syntax;
using text::SyntaxId;
using text::SyntaxKind;
using text::SyntaxTree;

/// Names stay names until their place is known: `float32` is a dtype inside of a cast, and
/// `nullptr` is no value at all.
struct ParsedValue {
  enum class Form : std::uint8_t {
    node,     ///< an expression, Range, IterVar, Buffer, BufferRegion, CommReducer
    name,     ///< not yet looked up
    string,   ///< StringImm or String
    list,     ///< its elements are those of a list or tuple
    element,  ///< `v[i, j]`: its elements are the indices
    binding,  ///< `x = v` of a `let` in an expression: `node` is the Var, `other` the value
    let,      ///< a binding with its body, for the `let` before it
    head,     ///< the name before `Buffer(` or `DataProducer(`
    absent,
  };
  Form form = Form::absent;
  SyntaxId syntax = 0;         ///< its syntax
  SyntaxId keyword = kNone;    ///< its keyword
  SyntaxId subscripted = 0;    ///< of an element: the value before the bracket
  NodeId node = NodeId::none;  ///< of an element: the same, if it is already known
  NodeId other = NodeId::none;
  std::uint32_t first = 0;  ///< its elements: `count` of them, from this index on
  std::uint32_t count = 0;

  static constexpr SyntaxId kNone = UINT32_MAX;
};

/// Syntax, values and their elements are valid until `clear`.
class ExpressionValues {
 public:
  /// Removes everything that was read.
  struct Content {
    SyntaxTree tree{};
    std::vector<ParsedValue> values{};
    std::vector<ParsedValue> elements{};
  };

  /// Lexer and grammar must outlive this. Deeper nesting than `max_nesting` is an error.
  ExpressionValues(text::Lexer& lexer, const text::Grammar& grammar, std::uint32_t max_nesting)
      : source_(lexer.source()), parser_(lexer, grammar, content_.tree, max_nesting) {}
  ExpressionValues(const ExpressionValues&) = delete;
  ExpressionValues& operator=(const ExpressionValues&) = delete;

  /// Parses one expression at the lexer's token.
  SyntaxId parse() { return parser_.parse(); }
  void clear();
  /// Exchanges the syntax, so an expression can be read while another one is evaluated. Spans and
  /// references stay valid: no element moves.
  void swap(Content& other) noexcept { std::swap(content_, other); }

  // --- Syntax ----------------------------------------------------------------------------------
  const SyntaxTree& tree() const { return content_.tree; }
  const Syntax& syntax(SyntaxId id) const { return tree()[id]; }
  std::string_view text_of(SyntaxId id) const { return slice(syntax(id).begin, syntax(id).end); }
  /// The word of a keyword, or the type of an annotation or a cast.
  std::string_view word_of(SyntaxId id) const {
    return slice(syntax(id).name_begin, syntax(id).name_end);
  }
  /// Whether it is `left sign right`.
  bool is_binary(SyntaxId id, Sign sign) const {
    return syntax(id).kind == SyntaxKind::binary && syntax(id).sign == sign;
  }
  /// The name of a called function or subscripted value; empty for anything else.
  std::string_view head_of(SyntaxId id) const;
  std::vector<SyntaxId> children(SyntaxId id) const;
  /// The arguments of a call with `count` of them; any other number is an error that shows `form`.
  std::vector<SyntaxId> arguments(SyntaxId call, std::size_t count, std::string_view form) const;
  /// The text for a message, shortened if it is long.
  std::string shown(SyntaxId id) const;
  [[noreturn]] void fail(SyntaxId id, std::string message) const;

  // --- The stack of values without an owner ----------------------------------------------------
  void push(const ParsedValue& value) { content_.values.push_back(value); }
  void push(SyntaxId id, NodeId node) {
    content_.values.push_back({.form = ParsedValue::Form::node, .syntax = id, .node = node});
  }
  ParsedValue pop();
  void drop(std::size_t count) { content_.values.resize(depth() - count); }
  std::size_t depth() const { return content_.values.size(); }
  ParsedValue& top() { return content_.values.back(); }
  std::span<const ParsedValue> top(std::size_t count) const {
    return std::span(content_.values).last(count);
  }

  // --- Parts of a value ------------------------------------------------------------------------
  std::string_view name_of(const ParsedValue& value) const { return text_of(value.syntax); }
  std::span<const ParsedValue> elements(const ParsedValue& list) const {
    return std::span(content_.elements).subspan(list.first, list.count);
  }
  /// Keeps `values`, which may be on the stack, as the elements of `list`.
  void add_elements(ParsedValue& list, std::span<const ParsedValue> values);
  /// Fails at a value that is not `what`.
  [[noreturn]] void fail_expected(const ParsedValue& value, std::string_view what) const;

 private:
  std::string_view slice(std::uint32_t begin, std::uint32_t end) const {
    return source_.text.substr(begin, end - begin);
  }

  const support::SourceText& source_;
  Content content_;
  text::ExpressionParser parser_;
};

}  // namespace mlf::tir::legacy
