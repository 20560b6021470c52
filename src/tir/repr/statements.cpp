#include "tir/repr/statements.h"

#include <fmt/format.h>

namespace mlf::tir::repr {

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
  while (token().is(TokenKind::newline)) lexer_.advance();
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

void StatementReader::end_of_line() {
  const bool is_end =
      token().is(TokenKind::newline) || token().is(TokenKind::end) || token().is(Sign::close_brace);
  if (!is_end) {
    fail(token(), fmt::format("expected the end of the statement, found {}", lexer_.found()));
  }
}

// --- The loop ----------------------------------------------------------------------------------

NodeId StatementReader::body() {
  open({.open = Open::function, .begin = token().begin});
  open_brace();
  while (!frames_.empty()) {
    skip_lines();
    statement();
    exprs_.clear();
    if (context_.builder.size() > context_.limits.max_nodes) {
      fail(token(), fmt::format("more than {} nodes in one module", context_.limits.max_nodes));
    }
  }
  const NodeId result = done_.back();
  done_.clear();
  return result;
}

void StatementReader::statement() {
  const std::uint32_t begin = token().begin;
  if (token().is(TokenKind::end)) {
    fail(token(), fmt::format("expected '}}' or a statement, found {}", lexer_.found()));
  }
  if (token().is(Sign::close_brace)) return close_brace();
  if (token().is(Sign::if_)) return if_(begin);
  if (token().is(Sign::double_slash)) return attr(begin);
  if (token().is(TokenKind::name) && word_statement(begin)) return;
  if (frames_.back().open == Open::block && block_line()) return;
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
  };
  for (const WordStatement& statement : kStatements) {
    if (!rest().starts_with(statement.start)) continue;
    (this->*statement.read)(begin);
    return true;
  }
  return false;
}

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
  if (frames_.size() >= context_.limits.max_nesting) {
    fail(token(),
         fmt::format("statements nested deeper than {} levels", context_.limits.max_nesting));
  }
  frame.first = done_.size();
  frame.names = context_.names.mark();
  frames_.push_back(frame);
  return frames_.back();
}

/// Passes the brace over without making the lines inside of it one line.
void StatementReader::open_brace() {
  if (!token().is(Sign::open_brace)) {
    fail(token(), fmt::format("expected '{{' in front of a body, found {}", lexer_.found()));
  }
  lexer_.seek(token().end);
}

/// The statements since the frame was opened, as one.
NodeId StatementReader::pop_body(const Frame& frame) {
  const auto statements = std::span(done_).subspan(frame.first);
  const NodeId node =
      statements.size() == 1
          ? statements[0]
          : context_.builder.make(Kind::SeqStmt, {context_.builder.list(statements)});
  done_.resize(frame.first);
  return node;
}

/// Ends what covers the rest of the block, and the statement that the brace belongs to.
void StatementReader::close_brace() {
  lexer_.seek(token().end);
  for (;;) {
    const Frame frame = frames_.back();
    const NodeId body = pop_body(frame);
    context_.names.release(frame.names);
    if (frame.open == Open::then_case && goes_on_with_else(frame, body)) return;
    frames_.pop_back();
    if (frame.open == Open::init) {
      blocks_.back().init = body;
      return;
    }
    if (frame.open == Open::function) return done_.push_back(body);
    complete(finish(frame, body), frame.begin);
    if (frame.open < Open::let) break;
  }
  close_else_ifs();
}

void StatementReader::complete(NodeId statement, std::uint32_t begin) {
  context_.builder.set_source_range(statement, {begin, token().begin});
  done_.push_back(statement);
}

/// An `else if` has no brace of its own.
void StatementReader::close_else_ifs() {
  while (frames_.back().open == Open::else_if) {
    const Frame frame = frames_.back();
    const NodeId body = pop_body(frame);
    frames_.pop_back();
    complete(finish(frame, body), frame.begin);
  }
}

NodeId StatementReader::finish(const Frame& frame, NodeId body) {
  Builder& builder = context_.builder;
  const auto& [a, b, c] = frame.nodes;
  const ListId no_annotations = builder.map(std::span<const NamedNode>());
  switch (frame.open) {
    case Open::let:
      return builder.make(Kind::LetStmt, {a, b, body});
    case Open::attr:
      return builder.make(Kind::AttrStmt, {a, frame.text, b, body});
    case Open::assertion:
      return builder.make(Kind::AssertStmt, {a, b, body});
    case Open::allocate:
      return builder.make(Kind::Allocate, {a, frame.dtype, frame.list, b, body, no_annotations});
    case Open::constant:
      return builder.make(Kind::AllocateConst,
                          {a, b, NodeId::none, frame.dtype, frame.list, body, no_annotations});
    case Open::declare:
      return builder.make(Kind::DeclBuffer, {a, body});
    case Open::loop:
      return builder.make(Kind::For, {a, b, c, frame.for_kind, body, NodeId::none, no_annotations});
    case Open::while_:
      return builder.make(Kind::While, {a, body});
    case Open::then_case:
      return builder.make(Kind::IfThenElse, {a, body, NodeId::none});
    case Open::else_case:
    case Open::else_if:
      return builder.make(Kind::IfThenElse, {a, b, body});
    case Open::realize:
      return builder.make(Kind::BufferRealize, {a, frame.list, b, body});
    case Open::block:
      return finish_block(body);
    default:
      throw support::Error(ErrorKind::internal, "a function's body is no statement of its own");
  }
}

/// `} else {` or `} else if (c) {`.
bool StatementReader::goes_on_with_else(const Frame& frame, NodeId then_case) {
  if (!at_word("else")) return false;
  lexer_.advance();
  frames_.pop_back();
  Frame branch = frame;
  branch.nodes[1] = then_case;
  const bool is_chained = token().is(Sign::if_);
  branch.open = is_chained ? Open::else_if : Open::else_case;
  open(branch);
  if (is_chained) {
    if_(token().begin);
  } else {
    open_brace();
  }
  return true;
}

}  // namespace mlf::tir::repr
