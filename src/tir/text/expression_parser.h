// Parses one expression of any dialect by operator precedence, on stacks of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tir/text/lexer.h"
#include "tir/text/syntax.h"

namespace mlf::tir::text {

/// Offset just past the construct that starts at `begin`, or `begin` where there is none.
using ConstructEnd = std::size_t (*)(std::string_view text, std::size_t begin);

/// What a dialect's expressions are made of: one table a dialect, read by ExpressionParser.
/// Operators have levels from 2 up, higher binds tighter; 0 says the dialect has no such operator.
/// All binary operators are left-associative.
///
/// The legacy text needs nothing but values in this table: `!` is a prefix, `@` starts a name,
/// `annotation_end` recognises the type in `x: Pointer(float32)` and `load_cast_end` the
/// `(float32*)` before a load; `A: Buffer(B, …)[i]` is a name with the annotation `Buffer`, called
/// and subscripted; `let x: T = v in body` is the prefix `let` over the binary operators `in` and
/// `=`, the latter binding tighter.
struct Grammar {
  LexicalRules lexical;
  SignTable<std::uint8_t> prefix;
  SignTable<std::uint8_t> binary;
  bool slices_in_lists = false;           ///< `[0:16, a:b]`, `{"k": 0:16}`
  bool leading_comma = false;             ///< `f(, dtype=int32)`
  bool empty_keyword_value = false;       ///< `f(dtype=)`
  ConstructEnd annotation_end = nullptr;  ///< called on the byte after the colon behind a name
  bool empty_subscript = false;           ///< `A[]`
  ConstructEnd load_cast_end = nullptr;   ///< called on a '(' where an operand is expected
  /// Called where an operand is expected: a construct that is one name to the parser, whatever
  /// is in it, such as `Target(kind='c', …)`.
  ConstructEnd leaf_end = nullptr;
};

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
    std::uint32_t first = 0;
    std::uint32_t height = 0;
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
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
  void emit(std::uint32_t arity, Syntax node);
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
