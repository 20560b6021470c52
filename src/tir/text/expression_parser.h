// Parses one expression of any dialect by operator precedence, on stacks of its own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tir/text/grammar.h"
#include "tir/text/lexer.h"
#include "tir/text/syntax.h"

namespace mlf::tir::text {

/// Reads from a lexer into a SyntaxTree. Depth costs heap, never stack.
class ExpressionParser {
 public:
  /// All must outlive the parser. Deeper nesting than `max_nesting` is an error.
  ExpressionParser(Lexer& lexer, const Grammar& grammar, SyntaxTree& tree,
                   std::uint32_t max_nesting)
      : lexer_(lexer), grammar_(grammar), tree_(tree), max_nesting_(max_nesting) {}

  /// Parses up to the first token that cannot go on with the expression, such as `=`, `:` or `,`
  /// outside brackets, and leaves the lexer on it. Throws support::Error.
  SyntaxId parse();

 private:
  enum class Open : std::uint8_t {
    binary,
    prefix,
    load_cast,
    keyword,
    lambda,
    // Brackets, which no operator reduces:
    group,
    call,
    subscript,
    list,
    dict,
  };
  /// A construct whose end has not come yet.
  struct Pending {
    Open open;
    Sign sign = Sign::none;
    std::uint8_t level = 0;
    bool has_comma = false;
    std::uint32_t items = 0;        // finished ones, and the callee or subscripted value
    std::uint32_t slice_parts = 0;  // of the current item that are finished
    Token at;                       // operator or opening bracket
  };
  /// A finished subtree that no parent holds yet.
  struct Operand {
    std::uint32_t first;
    std::uint32_t height;
    std::uint32_t begin;
    std::uint32_t end;
  };

  void operand();
  bool operator_or_end();
  bool whole_construct();
  void leaf(SyntaxKind kind);
  void name();
  void open_bracket();
  void open_lambda();
  void close_bracket();
  void finish_bracket(const Pending& frame);
  void postfix_attribute();
  void annotate(std::uint32_t end);
  void separator();
  bool may_hold_slice(const Pending& frame) const;
  void colon();
  void end_item(Pending& frame);
  bool may_close_here() const;
  bool at_item_end() const;
  Pending* frame();

  void push(const Pending& pending);
  void reduce(std::uint8_t level);
  void reduce_one();
  void emit(std::uint32_t arity, const Syntax& details);
  [[noreturn]] void fail_unclosed(const Pending& frame) const;
  [[noreturn]] void fail_nesting(std::uint32_t at) const;
  std::string construct(const Pending& frame) const;

  Lexer& lexer_;
  const Grammar& grammar_;
  SyntaxTree& tree_;
  std::uint32_t max_nesting_;
  bool expects_operand_ = true;
  std::vector<Pending> pending_;
  std::vector<Operand> operands_;
};

}  // namespace mlf::tir::text
