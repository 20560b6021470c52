// Parses one expression of any dialect by operator precedence, on its own stacks. The syntax is a
// flat array in post-order: every part comes before its whole, so one loop over the array, with a
// stack of results, makes IR of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mlf/tir/module.h"
#include "tir/text/lexer.h"

namespace mlf::tir::text {

enum class SyntaxKind : std::uint8_t {
  // No children. `name_*` is the token.
  name,
  integer,
  real,
  string,
  absent,         ///< omitted: a bound of a slice, the value of `dtype=`
  lambda_params,  ///< names between `lambda` and `:`; before the body, so they can define them
  // One child.
  unary,       ///< sign
  attribute,   ///< value; `name_*` is the word after the dot
  keyword,     ///< value; `name_*` is the word before `=`
  annotation,  ///< name; `name_*` is the text of the type behind the colon
  load_cast,   ///< value; `name_*` is the dtype in `(float32*)`
  // Two children.
  binary,  ///< left, right; sign
  lambda,  ///< lambda_params, body
  // Any number.
  call,       ///< callee, arguments
  subscript,  ///< value, indices
  slice,      ///< two or three bounds, each possibly absent
  list,
  tuple,
  dict,  ///< key, value, key, value, …
};

struct Syntax {
  SyntaxKind kind = SyntaxKind::absent;
  Sign sign = Sign::none;   ///< unary and binary: the operator
  std::uint32_t arity = 0;  ///< number of children
  std::uint32_t first = 0;  ///< index of the first node of the subtree
  std::uint32_t begin = 0;  ///< source bytes of the whole
  std::uint32_t end = 0;
  std::uint32_t name_begin = 0;  ///< source bytes of its own name or operator
  std::uint32_t name_end = 0;
};

/// Index of a node in a SyntaxTree.
using SyntaxId = std::uint32_t;

/// A sequence of expressions; call `clear` when their statement is complete.
class SyntaxTree {
 public:
  const Syntax& operator[](SyntaxId id) const { return nodes_[id]; }
  SyntaxId size() const { return static_cast<SyntaxId>(nodes_.size()); }
  /// Appends a node without children, which the caller may add.
  Syntax& add(SyntaxKind kind, SourceRange whole, SourceRange name) {
    // In place: a node that is built elsewhere and copied at once waits for its parts to be stored.
    Syntax& node = nodes_.emplace_back();
    node.kind = kind;
    node.first = size() - 1;
    node.begin = whole.begin;
    node.end = whole.end;
    node.name_begin = name.begin;
    node.name_end = name.end;
    return node;
  }
  void pop() { nodes_.pop_back(); }
  void clear() { nodes_.clear(); }

  /// The last child of a node is directly before it; the previous one is before that child's
  /// subtree.
  SyntaxId last_child(SyntaxId id) const { return id - 1; }
  SyntaxId previous_sibling(SyntaxId id) const { return nodes_[id].first - 1; }
  SyntaxId first_child(SyntaxId id) const {
    SyntaxId child = last_child(id);
    for (std::uint32_t i = 1; i < nodes_[id].arity; ++i) child = previous_sibling(child);
    return child;
  }
  /// In order.
  std::vector<SyntaxId> children(SyntaxId id) const {
    std::vector<SyntaxId> all(nodes_[id].arity);
    SyntaxId child = id;
    for (std::size_t i = all.size(); i > 0; --i) {
      child = i == all.size() ? last_child(id) : previous_sibling(child);
      all[i - 1] = child;
    }
    return all;
  }

 private:
  std::vector<Syntax> nodes_;
};

/// Offset after the construct that starts at `begin`, or `begin` if there is none.
using ConstructEnd = std::size_t (*)(std::string_view text, std::size_t begin);

/// The syntax of a dialect's expressions: one table for each dialect, read by ExpressionParser.
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
  ConstructEnd annotation_end = nullptr;  ///< called on the byte after the colon that follows a
                                          ///< name
  bool empty_subscript = false;           ///< `A[]`
  ConstructEnd load_cast_end = nullptr;   ///< called on a '(' in the place of an operand
  /// Called in the place of an operand: a construct that is one name to the parser, with any
  /// content, such as `Target(kind='c', …)`.
  ConstructEnd leaf_end = nullptr;
};

/// Reads from a lexer into a SyntaxTree. Nesting uses the heap, not the call stack.
class ExpressionParser {
 public:
  /// All must outlive the parser. Deeper nesting than `max_nesting` is an error.
  ExpressionParser(Lexer& lexer, const Grammar& grammar, SyntaxTree& tree,
                   std::uint32_t max_nesting)
      : lexer_(lexer), grammar_(grammar), tree_(tree), max_nesting_(max_nesting) {}

  /// Parses up to the first token that cannot continue the expression, such as `=`, `:` or `,`
  /// outside of brackets, and leaves the lexer on it. Throws support::Error.
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
  /// An open construct.
  struct Pending {
    Open open = Open::binary;
    Sign sign = Sign::none;
    std::uint8_t level = 0;
    bool has_comma = false;
    std::uint32_t items = 0;        // complete ones, and the callee or subscripted value
    std::uint32_t slice_parts = 0;  // complete ones of the current item
    SourceRange at{};               // the operator or opening bracket
  };
  /// A complete subtree that no parent contains yet.
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

  Pending& push(Open open, Sign sign, std::uint8_t level, SourceRange at);
  void reduce(std::uint8_t level);
  void reduce_one();
  Syntax& emit(std::uint32_t arity, SyntaxKind kind, SourceRange whole, SourceRange name);
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
