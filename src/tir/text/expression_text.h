// The expressions of a statement as they are written, before they mean anything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tir/text/expression_parser.h"
#include "tir/text/lexer.h"
#include "tir/text/syntax.h"

namespace mlf::tir::text {

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

}  // namespace mlf::tir::text
