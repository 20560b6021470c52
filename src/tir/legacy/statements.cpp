#include "tir/legacy/statements.h"

#include <fmt/core.h>

namespace mlf::tir::legacy {

using text::Sign;
using text::SyntaxId;
using text::SyntaxKind;
using text::Token;
using text::TokenKind;

// --- The loop ----------------------------------------------------------------------------------

NodeId StatementReader::body() {
  open_body(token().begin);
  return run();
}

NodeId StatementReader::fragment() {
  open({.open = Open::fragment, .begin = token().begin});
  return run();
}

/// Statements until the outermost frame is closed: nesting is on the stack of frames, so that no
/// text is too deep for this program's own stack.
NodeId StatementReader::run() {
  while (!statements_.empty()) {
    lexer_.skip_lines();
    statement();
    exprs_.clear();
    context_.check_size(lexer_);
  }
  return result_;
}

void StatementReader::statement() {
  const Frame& top = statements_.top();
  const std::uint32_t begin = token().begin;
  if (token().is(TokenKind::end)) {
    if (top.open == Open::fragment) return close_brace();
    lexer_.fail(fmt::format("expected '}}' or a statement, found {}", lexer_.found()));
  }
  if (token().is(Sign::close_brace)) return close_brace();
  if (token().is(Sign::open_brace)) {
    lexer_.seek(token().end);
    return open({.open = Open::sequence, .begin = begin});
  }
  if (token().is(Sign::if_)) return if_(begin);
  if (lexer_.at_word("realize")) return realize(begin, Kind::BufferRealize);
  if (lexer_.at_word("producer_realize")) return realize(begin, Kind::ProducerRealize);
  if (top.open == Open::block && block_line()) return;
  expression_statement(begin);
}

/// A statement is parsed as an expression first: `let`, `=` and the words of statements are
/// operators and names to the grammar.
void StatementReader::expression_statement(std::uint32_t begin) {
  const SyntaxId root = exprs_.parse();
  const text::Syntax& node = exprs_.syntax(root);
  if (node.kind == SyntaxKind::unary && node.sign == Sign::let &&
      exprs_.syntax(root - 1).sign == Sign::assign) {
    return let(begin, root);
  }
  if (node.kind == SyntaxKind::binary && node.sign == Sign::assign) return assignment(begin, root);
  if (keyword_statement(root, begin)) return;
  const NodeId value = exprs_.expr(root);
  complete(context_.builder.make(Kind::Evaluate, {value}), begin);
}

/// Statements that look like calls or subscripts of a word; false for anything else.
bool StatementReader::keyword_statement(SyntaxId root, std::uint32_t begin) {
  const std::string_view word = exprs_.head_of(root);
  if (word.empty() || word.front() == '@') return false;
  if (word == "for") return loop(begin, root), true;
  if (word == "attr" && token().is(TokenKind::string)) return attr(begin, root), true;
  if (word == "allocate") return allocate(begin, root), true;
  if (word == "constant") return constant(begin, root), true;
  if (word == "assert") return assertion(begin, root), true;
  if (word == "while") return while_(begin, root), true;
  if (word == "block") return block(begin, root), true;
  if (word == "prefetch") return prefetch(begin, root), true;
  return false;
}

// --- Frames ------------------------------------------------------------------------------------

void StatementReader::open(Frame frame) {
  context_.check_nesting(lexer_, statements_.depth(), "statements");
  statements_.open(frame);
}

void StatementReader::open_body(std::uint32_t begin) {
  lexer_.pass(Sign::open_brace, "in front of a body");
  open({.open = Open::body, .begin = begin});
}

/// Where a statement covers the next one, the printer puts braces around a SeqStmt alone; in front
/// of any other statement it writes `;`.
void StatementReader::covered_body() {
  if (token().is(Sign::open_brace) || lexer_.accept(Sign::semicolon)) return;
  lexer_.fail(fmt::format(
      "expected ';' or '{{' in front of the statement that is covered, found {}", lexer_.found()));
}

/// Ends the braces at the lexer's token, or a fragment at the end of its text.
void StatementReader::close_brace() {
  const Frame frame = statements_.top();
  if (frame.open != Open::body && frame.open != Open::sequence && frame.open != Open::fragment) {
    lexer_.fail(fmt::format("expected a statement, found {}", lexer_.found()));
  }
  if (frame.open != Open::fragment) {
    lexer_.seek(token().end);
  } else if (!token().is(TokenKind::end)) {
    lexer_.fail("'}' closes nothing");
  }
  statements_.close();
  complete(sequence(frame), frame.begin);
}

NodeId StatementReader::sequence(const Frame& frame) {
  const auto statements = statements_.body(frame);
  // Braces around a body are the body's own where it is a SeqStmt: so a SeqStmt inside of them is
  // the one statement of another.
  const bool is_sequence =
      frame.open == Open::sequence ||
      (statements.size() == 1 && context_.builder.node(statements[0]).is(Kind::SeqStmt));
  return is_sequence ? statements_.take_sequence(frame) : statements_.take_body(frame);
}

/// Hands a finished statement to whatever waits for one.
void StatementReader::complete(NodeId statement, std::uint32_t begin) {
  for (;;) {
    context_.builder.set_source_range(statement, {begin, token().begin});
    if (statements_.empty()) {
      result_ = statement;
      return;
    }
    const Frame& top = statements_.top();
    if (top.open == Open::body || top.open == Open::sequence || top.open == Open::fragment) {
      return statements_.add(statement);
    }
    if (top.open == Open::then_case && goes_on_with_else(statement)) return;
    const Frame frame = statements_.close();
    if (frame.open == Open::init) {
      blocks_.back().init = statement;
      return;
    }
    statement = finish(frame, statement);
    begin = frame.begin;
  }
}

NodeId StatementReader::finish(const Frame& frame, NodeId body) {
  if (frame.open == Open::block) return finish_block(body);
  // The printer closes the parenthesis of `realize(` behind the body.
  if (frame.open == Open::realize && token().is(Sign::close_paren)) lexer_.pass(1);
  return text::make_statement(context_.builder, frame.draft, body);
}

/// Turns the frame of a then branch into that of its else branch, where there is one.
bool StatementReader::goes_on_with_else(NodeId then_case) {
  if (!lexer_.at_word("else")) return false;
  lexer_.advance();
  Frame frame = statements_.close();
  frame.open = Open::statement;
  frame.draft.nodes[1] = then_case;
  const std::uint32_t begin = token().begin;
  open(frame);
  open_body(begin);
  return true;
}

}  // namespace mlf::tir::legacy
