#include "tir/repr/statements.h"

#include <fmt/core.h>

#include "tir/repr/expressions.h"

namespace mlf::tir::repr {
namespace {

// --- Ends of statements ------------------------------------------------------------------------

/// An `else if` has no brace of its own.
void close_else_ifs(Context& c) {
  while (c.statements.top().open == Open::else_if) {
    const Frame frame = c.statements.close();
    const NodeId body = c.statements.take_body(frame);
    complete(c, text::make_statement(c.builder, frame.draft, body), frame.begin);
  }
}

/// `} else {` or `} else if (c) {`.
bool start_else(Context& c, const Frame& frame, NodeId then_case) {
  if (!c.lexer.at_word("else")) return false;
  c.lexer.advance();
  Frame branch = frame;
  branch.draft.nodes[1] = then_case;
  const bool is_chained = c.lexer.token().is(Sign::if_);
  branch.open = is_chained ? Open::else_if : Open::braces;
  open_frame(c, branch);
  if (is_chained) {
    open_if(c, c.lexer.token().begin);
  } else {
    c.lexer.pass(Sign::open_brace, "in front of a body");
  }
  return true;
}

/// Ends what covers the rest of the block, and the statement that the brace belongs to.
void close_brace(Context& c) {
  c.lexer.seek(c.lexer.token().end);
  for (;;) {
    const Frame frame = c.statements.close();
    const NodeId body = c.statements.take_body(frame);
    c.names.release(frame.names);
    if (frame.open == Open::then_case && start_else(c, frame, body)) return;
    if (frame.open == Open::init) {
      c.blocks.back().init = body;
      return;
    }
    if (frame.open == Open::function) {
      c.body = body;
      return;
    }
    complete(c,
             frame.open == Open::block ? finish_block(c, body)
                                       : text::make_statement(c.builder, frame.draft, body),
             frame.begin);
    if (frame.open != Open::rest) break;
  }
  close_else_ifs(c);
}

// --- The loop ----------------------------------------------------------------------------------

/// Lets, stores, and anything else, which is an Evaluate.
void read_expression_statement(Context& c, std::uint32_t begin) {
  const SyntaxId root = c.exprs.parse();
  const text::Syntax& node = c.exprs.syntax(root);
  if (node.kind == SyntaxKind::unary && node.sign == Sign::let) {
    open_let(c, begin, root);
  } else if (node.kind == SyntaxKind::binary && node.sign == Sign::assign) {
    read_assignment(c, begin, root);
  } else {
    complete(c, c.builder.make(Kind::Evaluate, {as_expr(c, root)}), begin);
  }
  expect_line_end(c);
}

/// The first token tells what a statement is, but for lets and assignments.
void read_statement(Context& c) {
  const std::uint32_t begin = c.lexer.token().begin;
  if (c.lexer.token().is(TokenKind::end)) {
    c.lexer.fail(fmt::format("expected '}}' or a statement, found {}", c.lexer.found()));
  }
  if (c.lexer.token().is(Sign::close_brace)) return close_brace(c);
  if (c.lexer.token().is(Sign::if_)) return open_if(c, begin);
  if (c.lexer.token().is(Sign::double_slash)) return open_attr(c, begin);
  if (c.lexer.token().is(TokenKind::name) && read_word_statement(c, begin)) return;
  if (c.statements.top().open == Open::block && read_block_line(c)) return;
  read_expression_statement(c, begin);
}

}  // namespace

/// Statements until the function's own brace is closed; what is open is on a stack of frames.
NodeId read_body(Context& c) {
  open_frame(c, {.open = Open::function, .begin = c.lexer.token().begin});
  c.lexer.pass(Sign::open_brace, "in front of a body");
  while (!c.statements.empty()) {
    c.lexer.skip_lines();
    read_statement(c);
    c.exprs.clear();
    c.check_size(c.lexer);
  }
  return c.body;
}

// --- Frames ------------------------------------------------------------------------------------

/// Names that are defined from here on end with the frame.
Frame& open_frame(Context& c, Frame frame) {
  c.check_nesting(c.lexer, c.statements.depth(), "statements");
  frame.names = c.names.mark();
  return c.statements.open(frame);
}

Frame& open_rest(Context& c, std::uint32_t begin, const text::StatementDraft& draft) {
  return open_frame(c, {.open = Open::rest, .begin = begin, .draft = draft});
}

void open_braces(Context& c, Frame frame) {
  open_frame(c, std::move(frame));
  c.lexer.pass(Sign::open_brace, "in front of a body");
}

/// Statements of a block are collected until its brace is closed.
void complete(Context& c, NodeId statement, std::uint32_t begin) {
  c.builder.set_source_range(statement, {begin, c.lexer.token().begin});
  c.statements.add(statement);
}

void expect_line_end(Context& c) {
  const bool is_end = c.lexer.token().is(TokenKind::newline) ||
                      c.lexer.token().is(TokenKind::end) || c.lexer.token().is(Sign::close_brace);
  if (!is_end) {
    c.lexer.fail(fmt::format("expected the end of the statement, found {}", c.lexer.found()));
  }
}

}  // namespace mlf::tir::repr
