#include "tir/tvmscript/lines.h"

#include <fmt/core.h>

#include "support/error.h"

namespace mlf::tir::tvmscript {

using text::Sign;
using text::SyntaxKind;
using text::TokenKind;

void add_statement(FunctionContext& fn, NodeId stmt) {
  fn.c.builder.set_source_range(stmt, {fn.line_begin, fn.c.lexer.token().begin});
  fn.frames.add(stmt);
}

void open_frame(FunctionContext& fn, FrameKind kind, Reach reach) {
  Frame frame{.kind = kind, .indent = 0, .header_indent = 0, .begin = fn.line_begin};
  frame.indent = fn.frames.top().indent;
  frame.header_indent = reach == Reach::own_suite ? frame.indent : fn.frames.top().header_indent;
  fn.frames.open(frame);
}

/// The colon that ends the line above a suite.
void end_header(FunctionContext& fn) {
  Context& c = fn.c;
  if (!c.lexer.accept(Sign::colon)) {
    c.lexer.fail(fmt::format("expected ':', found {}", c.lexer.found()));
  }
  end_line(fn);
  fn.expects_suite = true;
}

void end_line(FunctionContext& fn) {
  Context& c = fn.c;
  if (!c.lexer.token().is(TokenKind::newline) && !c.lexer.token().is(TokenKind::end)) {
    c.lexer.fail(fmt::format("expected the end of the line, found {}", c.lexer.found()));
  }
  fn.line_end = c.lexer.token().begin;
  if (c.lexer.token().is(TokenKind::newline)) c.lexer.advance();
}

// --- Names -------------------------------------------------------------------------------------

std::string_view expect_name(FunctionContext& fn, std::string_view wanted) {
  Context& c = fn.c;
  if (!c.lexer.token().is(TokenKind::name)) {
    c.lexer.fail(fmt::format("expected {}, found {}", wanted, c.lexer.found()));
  }
  const std::string_view name = c.lexer.text(c.lexer.token());
  c.lexer.advance();
  return name;
}

/// TVM prints names that are words of Python as they are: `for = T.int32()`, `in[0] = 1`.
bool is_plain_name(const FunctionContext& fn) {
  Context& c = fn.c;
  const std::string_view rest = c.slice(c.lexer.token().end, c.lexer.line_end());
  return rest.starts_with("[") || rest.starts_with(".") || rest.starts_with(",") ||
         rest.starts_with(" = ");
}

std::string_view target_name(FunctionContext& fn, SyntaxId target) {
  Context& c = fn.c;
  const text::Syntax& syntax = c.values.syntax(target);
  const std::string_view text = c.slice(syntax.begin, syntax.end);
  if (syntax.kind != SyntaxKind::name) {
    support::fail_at(c.source, syntax.begin, fmt::format("cannot assign to '{}'", text),
                     syntax.end - syntax.begin);
  }
  return text;
}

void bind(FunctionContext& fn, std::string_view name, NodeId node) {
  if (!name.empty() && node != NodeId::none) fn.c.names.bind(name, node);
}

/// Notes that `node` is declared but not set.
NodeId declare(FunctionContext& fn, NodeId node) {
  fn.declared.insert(index(node));
  return node;
}

/// What an earlier line declared under this name, once: a printer names nothing twice in a scope,
/// so the statement that sets it means that one.
NodeId declared(FunctionContext& fn, std::string_view name, Kind kind) {
  const NodeId known = fn.c.names.find(name);
  if (known == NodeId::none || !fn.c.node(known).is(kind)) return NodeId::none;
  return fn.declared.erase(index(known)) > 0 ? known : NodeId::none;
}

/// The variable that a statement sets.
NodeId scope_var(FunctionContext& fn, std::string_view name, NodeId type) {
  Context& c = fn.c;
  const NodeId known = declared(fn, name, Kind::Var);
  const bool fits = known != NodeId::none && c.node(known).dtype() == c.make.dtype_of_type(type);
  return fits ? known : c.make.var(name, type);
}

}  // namespace mlf::tir::tvmscript
