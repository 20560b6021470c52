#include "tir/legacy/statements.h"

#include <fmt/format.h>

namespace mlf::tir::legacy {

using text::Sign;
using text::SyntaxId;
using text::SyntaxKind;
using text::Token;
using text::TokenKind;

// --- Tokens ------------------------------------------------------------------------------------

void StatementReader::fail(const Token& at, std::string message) const {
  lexer_.fail(at, std::move(message));
}

void StatementReader::skip_lines() {
  while (token().is(TokenKind::newline) || token().is(TokenKind::comment)) lexer_.advance();
}

void StatementReader::pass_bracket(Sign sign, std::string_view construct) {
  if (!token().is(sign)) {
    const char spelling = sign == Sign::open_paren    ? '('
                          : sign == Sign::close_paren ? ')'
                          : sign == Sign::open_brace  ? '{'
                                                      : '}';
    fail(token(), fmt::format("expected '{}' {}, found {}", spelling, construct, lexer_.found()));
  }
  lexer_.seek(token().end);
}

void StatementReader::expect(Sign sign, std::string_view spelling, std::string_view construct) {
  if (lexer_.accept(sign)) return;
  fail(token(), fmt::format("expected '{}' {}, found {}", spelling, construct, lexer_.found()));
}

std::vector<SyntaxId> StatementReader::arguments(SyntaxId call, std::size_t count,
                                                 std::string_view form) const {
  std::vector<SyntaxId> parts = exprs_.children(call);
  if (exprs_.syntax(call).kind != SyntaxKind::call || parts.size() != count + 1) {
    exprs_.fail(call, fmt::format("expected {}", form));
  }
  parts.erase(parts.begin());
  return parts;
}

// --- The loop ----------------------------------------------------------------------------------

NodeId StatementReader::body() {
  open_body(token().begin);
  return run();
}

NodeId StatementReader::fragment() {
  open({.open = Open::fragment, .begin = token().begin});
  return run();
}

NodeId StatementReader::run() {
  while (!frames_.empty()) {
    skip_lines();
    statement();
    exprs_.clear();
    if (context_.builder.size() > context_.limits.max_nodes) {
      fail(token(), fmt::format("more than {} nodes in one module", context_.limits.max_nodes));
    }
  }
  return result_;
}

void StatementReader::statement() {
  const Frame& top = frames_.back();
  const std::uint32_t begin = token().begin;
  if (token().is(TokenKind::end)) {
    if (top.open == Open::fragment) return close_brace();
    fail(token(), fmt::format("expected '}}' or a statement, found {}", lexer_.found()));
  }
  if (token().is(Sign::close_brace)) return close_brace();
  if (token().is(Sign::open_brace)) {
    lexer_.seek(token().end);
    return open({.open = Open::sequence, .begin = begin});
  }
  if (token().is(Sign::if_)) return if_(begin);
  if (at_word("realize")) return realize(begin, Open::realize);
  if (at_word("producer_realize")) return realize(begin, Open::producer_realize);
  if (top.open == Open::block && block_line()) return;
  expression_statement(begin);
}

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
  if (frames_.size() >= context_.limits.max_nesting) {
    fail(token(),
         fmt::format("statements nested deeper than {} levels", context_.limits.max_nesting));
  }
  frame.first = static_cast<std::uint32_t>(done_.size());
  frames_.push_back(frame);
}

void StatementReader::open_body(std::uint32_t begin) {
  pass_bracket(Sign::open_brace, "in front of a body");
  open({.open = Open::body, .begin = begin});
}

/// ` {` starts a SeqStmt; behind `;` stands the one statement that is covered.
void StatementReader::covered_body() {
  if (token().is(Sign::open_brace) || lexer_.accept(Sign::semicolon)) return;
  fail(token(),
       fmt::format("expected ';' or '{{' in front of the statement that is covered, found {}",
                   lexer_.found()));
}

void StatementReader::close_brace() {
  const Frame frame = frames_.back();
  if (frame.open != Open::body && frame.open != Open::sequence && frame.open != Open::fragment) {
    fail(token(), fmt::format("expected a statement, found {}", lexer_.found()));
  }
  if (frame.open != Open::fragment) {
    lexer_.seek(token().end);
  } else if (!token().is(TokenKind::end)) {
    fail(token(), "'}' closes nothing");
  }
  frames_.pop_back();
  complete(sequence(frame), frame.begin);
}

NodeId StatementReader::sequence(const Frame& frame) {
  const auto statements = std::span(done_).subspan(frame.first);
  NodeId node = statements.size() == 1 ? statements[0] : NodeId::none;
  // Braces around a body are the body's own where it is a SeqStmt: so a SeqStmt inside of them is
  // the one statement of another.
  const bool is_implied = frame.open != Open::sequence && node != NodeId::none &&
                          !context_.builder.node(node).is(Kind::SeqStmt);
  if (!is_implied) {
    node = context_.builder.make(Kind::SeqStmt, {context_.builder.list(statements)});
  }
  done_.resize(frame.first);
  return node;
}

/// Hands a finished statement to whatever waits for one.
void StatementReader::complete(NodeId statement, std::uint32_t begin) {
  for (;;) {
    context_.builder.set_source_range(statement, {begin, token().begin});
    if (frames_.empty()) {
      result_ = statement;
      return;
    }
    const Frame& top = frames_.back();
    if (top.open == Open::body || top.open == Open::sequence || top.open == Open::fragment) {
      return done_.push_back(statement);
    }
    if (top.open == Open::then_case && goes_on_with_else(statement)) return;
    const Frame frame = top;
    frames_.pop_back();
    if (frame.open == Open::init) {
      blocks_.back().init = statement;
      return;
    }
    statement = finish(frame, statement);
    begin = frame.begin;
  }
}

NodeId StatementReader::finish(const Frame& frame, NodeId body) {
  Builder& builder = context_.builder;
  const auto& [a, b, c, d] = frame.nodes;
  switch (frame.open) {
    case Open::let:
      return builder.make(Kind::LetStmt, {a, b, body});
    case Open::attr:
      return builder.make(Kind::AttrStmt, {a, frame.text, b, body});
    case Open::assertion:
      return builder.make(Kind::AssertStmt, {a, b, body});
    case Open::allocate:
      return builder.make(Kind::Allocate, {a, frame.dtype, frame.list, b, body, frame.map});
    case Open::constant:
      return builder.make(Kind::AllocateConst,
                          {a, b, NodeId::none, frame.dtype, frame.list, body, frame.map});
    case Open::declare:
      return builder.make(Kind::DeclBuffer, {a, body});
    case Open::loop:
      return builder.make(Kind::For, {a, b, c, frame.for_kind, body, NodeId::none, frame.map});
    case Open::while_:
      return builder.make(Kind::While, {a, body});
    case Open::then_case:
      return builder.make(Kind::IfThenElse, {a, body, NodeId::none});
    case Open::else_case:
      return builder.make(Kind::IfThenElse, {a, b, body});
    case Open::block:
      return finish_block(body);
    case Open::realize:
    case Open::producer_realize:
      break;
    default:
      throw support::Error(ErrorKind::internal, "a sequence has no body to wait for");
  }
  // The parenthesis that was opened in front of the buffer.
  if (token().is(Sign::close_paren)) lexer_.seek(token().end);
  if (frame.open == Open::realize) {
    return builder.make(Kind::BufferRealize, {a, frame.list, b, body});
  }
  return builder.make(Kind::ProducerRealize, {a, frame.list, b, body, StringId::none});
}

bool StatementReader::goes_on_with_else(NodeId then_case) {
  if (!at_word("else")) return false;
  lexer_.advance();
  Frame frame = frames_.back();
  frames_.pop_back();
  frame.open = Open::else_case;
  frame.nodes[1] = then_case;
  const std::uint32_t begin = token().begin;
  open(frame);
  open_body(begin);
  return true;
}

}  // namespace mlf::tir::legacy
