#include "tir/legacy/statements.h"

#include <fmt/core.h>

#include "tir/legacy/expressions.h"
#include "tir/legacy/forms.h"

namespace mlf::tir::legacy {
namespace {

// --- Ends of statements ------------------------------------------------------------------------

NodeId take_statements(Context& c, const Frame& frame) {
  const auto statements = c.statements.body(frame);
  // Braces around a body are the body's own where it is a SeqStmt: so a SeqStmt inside of them is
  // the one statement of another.
  const bool is_sequence =
      frame.open == Open::sequence ||
      (statements.size() == 1 && c.builder.node(statements[0]).is(Kind::SeqStmt));
  return is_sequence ? c.statements.take_sequence(frame) : c.statements.take_body(frame);
}

/// The statement of a frame around its body.
NodeId finish(Context& c, const Frame& frame, NodeId body) {
  if (frame.open == Open::block) return finish_block(c, body);
  // The printer closes the parenthesis of `realize(` behind the body.
  if (frame.open == Open::realize && c.lexer.token().is(Sign::close_paren)) c.lexer.pass(1);
  return text::make_statement(c.builder, frame.draft, body);
}

/// Turns the frame of a then branch into that of its else branch, where there is one.
bool start_else(Context& c, NodeId then_case) {
  if (!c.lexer.at_word("else")) return false;
  c.lexer.advance();
  Frame frame = c.statements.close();
  frame.open = Open::statement;
  frame.draft.nodes[1] = then_case;
  open_frame(c, frame);
  open_body(c);
  return true;
}

/// Ends the braces at the lexer's token, or a fragment at the end of its text.
void close_brace(Context& c) {
  const Frame frame = c.statements.top();
  if (frame.open != Open::body && frame.open != Open::sequence && frame.open != Open::fragment) {
    c.lexer.fail(fmt::format("expected a statement, found {}", c.lexer.found()));
  }
  if (frame.open != Open::fragment) {
    c.lexer.seek(c.lexer.token().end);
  } else if (!c.lexer.token().is(TokenKind::end)) {
    c.lexer.fail("'}' closes nothing");
  }
  c.statements.close();
  complete(c, take_statements(c, frame), frame.begin);
}

// --- The loop ----------------------------------------------------------------------------------

/// A statement is parsed as an expression first: `let`, `=` and the words of statements are
/// operators and names to the grammar.
void read_expression_statement(Context& c, std::uint32_t begin) {
  const SyntaxId root = c.exprs.parse();
  const text::Syntax& node = c.exprs.syntax(root);
  if (node.kind == SyntaxKind::unary && node.sign == Sign::let &&
      c.exprs.syntax(root - 1).sign == Sign::assign) {
    return open_let(c, begin, root);
  }
  if (c.exprs.is_binary(root, Sign::assign)) return read_assignment(c, begin, root);
  if (read_word_statement(c, begin, root)) return;
  const NodeId value = as_expr(c, root);
  complete(c, c.builder.make(Kind::Evaluate, {value}), begin);
}

void read_statement(Context& c) {
  const Frame& top = c.statements.top();
  const std::uint32_t begin = c.lexer.token().begin;
  if (c.lexer.token().is(TokenKind::end)) {
    if (top.open == Open::fragment) return close_brace(c);
    c.lexer.fail(fmt::format("expected '}}' or a statement, found {}", c.lexer.found()));
  }
  if (c.lexer.token().is(Sign::close_brace)) return close_brace(c);
  if (c.lexer.token().is(Sign::open_brace)) {
    c.lexer.seek(c.lexer.token().end);
    return open_frame(c, {.open = Open::sequence, .begin = begin});
  }
  if (c.lexer.token().is(Sign::if_)) return open_if(c, begin);
  if (c.lexer.token().is(TokenKind::name)) {
    const Form* const form =
        forms().find(text::PrintedForm::Place::unclosed, c.lexer.text(c.lexer.token()));
    if (form != nullptr) return form->start(c, begin);
  }
  if (top.open == Open::block && read_block_line(c)) return;
  read_expression_statement(c, begin);
}

/// Statements until the outermost frame is closed: nesting is on the stack of frames, so that no
/// text is too deep for this program's own stack.
NodeId read_statements(Context& c) {
  while (!c.statements.empty()) {
    c.lexer.skip_lines();
    read_statement(c);
    c.exprs.clear();
    c.check_size(c.lexer);
  }
  return c.body;
}

}  // namespace

NodeId read_body(Context& c) {
  open_body(c);
  return read_statements(c);
}

NodeId read_fragment(Context& c) {
  open_frame(c, {.open = Open::fragment, .begin = c.lexer.token().begin});
  return read_statements(c);
}

// --- Frames ------------------------------------------------------------------------------------

/// Texts of any depth are read in a loop, so that a limit is all that nesting meets.
void open_frame(Context& c, Frame frame) {
  c.check_nesting(c.lexer, c.statements.depth(), "statements");
  c.statements.open(frame);
}

void open_statement(Context& c, std::uint32_t begin, const text::StatementDraft& draft) {
  open_frame(c, {.open = Open::statement, .begin = begin, .draft = draft});
}

void open_body(Context& c) {
  const std::uint32_t begin = c.lexer.token().begin;
  c.lexer.pass(Sign::open_brace, "in front of a body");
  open_frame(c, {.open = Open::body, .begin = begin});
}

/// One statement may end several: of `let x: T = v` and the like the next statement is the whole
/// body, and the printer marks no end of it.
void complete(Context& c, NodeId statement, std::uint32_t begin) {
  for (;;) {
    c.builder.set_source_range(statement, {begin, c.lexer.token().begin});
    if (c.statements.empty()) {
      c.body = statement;
      return;
    }
    const Frame& top = c.statements.top();
    if (top.open == Open::body || top.open == Open::sequence || top.open == Open::fragment) {
      return c.statements.add(statement);
    }
    if (top.open == Open::then_case && start_else(c, statement)) return;
    const Frame frame = c.statements.close();
    if (frame.open == Open::init) {
      c.blocks.back().init = statement;
      return;
    }
    statement = finish(c, frame, statement);
    begin = frame.begin;
  }
}

}  // namespace mlf::tir::legacy
