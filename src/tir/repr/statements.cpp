#include "tir/repr/statements.h"

#include <fmt/core.h>

namespace mlf::tir::repr {

using text::Sign;
using text::SyntaxId;
using text::SyntaxKind;
using text::Token;
using text::TokenKind;

void StatementReader::end_of_line() {
  const bool is_end =
      token().is(TokenKind::newline) || token().is(TokenKind::end) || token().is(Sign::close_brace);
  if (!is_end) {
    lexer_.fail(fmt::format("expected the end of the statement, found {}", lexer_.found()));
  }
}

// --- The loop ----------------------------------------------------------------------------------

/// Statements until the function's own brace is closed; what is open is on a stack of frames.
NodeId StatementReader::body() {
  open({.open = Open::function, .begin = token().begin});
  lexer_.pass(Sign::open_brace, "in front of a body");
  while (!statements_.empty()) {
    lexer_.skip_lines();
    statement();
    exprs_.clear();
    context_.check_size(lexer_);
  }
  return result_;
}

void StatementReader::statement() {
  const std::uint32_t begin = token().begin;
  if (token().is(TokenKind::end)) {
    lexer_.fail(fmt::format("expected '}}' or a statement, found {}", lexer_.found()));
  }
  if (token().is(Sign::close_brace)) return close_brace();
  if (token().is(Sign::if_)) return if_(begin);
  if (token().is(Sign::double_slash)) return attr(begin);
  if (token().is(TokenKind::name) && word_statement(begin)) return;
  if (statements_.top().open == Open::block && block_line()) return;
  expression_statement(begin);
}

/// Statements that begin with a word of their own.
bool StatementReader::word_statement(std::uint32_t begin) {
  struct WordStatement {
    std::string_view start;
    void (StatementReader::*read)(std::uint32_t);
  };
  static constexpr WordStatement kStatements[] = {
      {"allocate ", &StatementReader::allocate},
      {"constant ", &StatementReader::constant},
      {"decl_buffer ", &StatementReader::declare},
      {"prefetch ", &StatementReader::prefetch},
      {"assert(", &StatementReader::assertion},
      {"while(", &StatementReader::while_},
      {"block ", &StatementReader::block},
      {"for (", &StatementReader::loop},
      {"parallel (", &StatementReader::loop},
      {"unrolled (", &StatementReader::loop},
      {"vectorized (", &StatementReader::loop},
      {"launch_thread (", &StatementReader::loop},
      {"buffer_realize ", &StatementReader::realize},
      {"producer_realize ", &StatementReader::realize},
  };
  for (const WordStatement& statement : kStatements) {
    if (!lexer_.rest().starts_with(statement.start)) continue;
    (this->*statement.read)(begin);
    return true;
  }
  return false;
}

/// Lets, stores, and anything else, which is an Evaluate.
void StatementReader::expression_statement(std::uint32_t begin) {
  const SyntaxId root = exprs_.parse();
  const text::Syntax& node = exprs_.syntax(root);
  if (node.kind == SyntaxKind::unary && node.sign == Sign::let) {
    let(begin, root);
  } else if (node.kind == SyntaxKind::binary && node.sign == Sign::assign) {
    assignment(begin, root);
  } else {
    complete(context_.builder.make(Kind::Evaluate, {exprs_.expr(root)}), begin);
  }
  end_of_line();
}

// --- Frames ------------------------------------------------------------------------------------

StatementReader::Frame& StatementReader::open(Frame frame) {
  context_.check_nesting(lexer_, statements_.depth(), "statements");
  frame.names = context_.names.mark();
  return statements_.open(frame);
}

/// Ends what covers the rest of the block, and the statement that the brace belongs to.
void StatementReader::close_brace() {
  lexer_.seek(token().end);
  for (;;) {
    const Frame frame = statements_.close();
    const NodeId body = statements_.take_body(frame);
    context_.names.release(frame.names);
    if (frame.open == Open::then_case && goes_on_with_else(frame, body)) return;
    if (frame.open == Open::init) {
      blocks_.back().init = body;
      return;
    }
    if (frame.open == Open::function) {
      result_ = body;
      return;
    }
    complete(frame.open == Open::block ? finish_block(body)
                                       : text::make_statement(context_.builder, frame.draft, body),
             frame.begin);
    if (frame.open != Open::rest) break;
  }
  close_else_ifs();
}

void StatementReader::complete(NodeId statement, std::uint32_t begin) {
  context_.builder.set_source_range(statement, {begin, token().begin});
  statements_.add(statement);
}

/// An `else if` has no brace of its own.
void StatementReader::close_else_ifs() {
  while (statements_.top().open == Open::else_if) {
    const Frame frame = statements_.close();
    const NodeId body = statements_.take_body(frame);
    complete(text::make_statement(context_.builder, frame.draft, body), frame.begin);
  }
}

/// `} else {` or `} else if (c) {`.
bool StatementReader::goes_on_with_else(const Frame& frame, NodeId then_case) {
  if (!lexer_.at_word("else")) return false;
  lexer_.advance();
  Frame branch = frame;
  branch.draft.nodes[1] = then_case;
  const bool is_chained = token().is(Sign::if_);
  branch.open = is_chained ? Open::else_if : Open::braces;
  open(branch);
  if (is_chained) {
    if_(token().begin);
  } else {
    lexer_.pass(Sign::open_brace, "in front of a body");
  }
  return true;
}

}  // namespace mlf::tir::repr
