// Statements that begin with a word of Python, but for loops.
#include <fmt/core.h>

#include <unordered_map>

#include "tir/tvm_features.h"
#include "tir/tvmscript/blocks.h"
#include "tir/tvmscript/calls.h"
#include "tir/tvmscript/conversions.h"
#include "tir/tvmscript/expressions.h"
#include "tir/tvmscript/lines.h"
#include "tir/tvmscript/scopes.h"
#include "tir/tvmscript/statements.h"

namespace mlf::tir::tvmscript {
namespace {

using text::Sign;
using text::SyntaxId;
using text::TokenKind;

/// The condition is part of the statement, the body a suite.
void keyword_while(FunctionContext& fn) {
  Context& c = fn.c;
  c.lexer.advance();
  const NodeId condition = as_expr(c, read_value(c));
  open_frame(fn, FrameKind::scoped, Reach::own_suite);
  fn.frames.add_scope(Kind::While, f::While::body, {condition, NodeId::none});
  end_header(fn);
}

/// The old printer leaves out the else branch of a condition that is constant true.
void open_if(FunctionContext& fn, std::uint32_t header_indent) {
  Context& c = fn.c;
  c.lexer.advance();
  const NodeId condition = as_expr(c, read_value(c));
  const Node value = c.node(condition);
  if (c.rules.drops_dead_else && value.is(Kind::IntImm) && value.integer(f::IntImm::value) != 0) {
    c.lose(LossCode::else_branch);
  }
  open_frame(fn, FrameKind::then_branch, Reach::own_suite);
  fn.frames.top().header_indent = header_indent;
  fn.frames.top().condition = condition;
  end_header(fn);
}

void keyword_if(FunctionContext& fn) {
  open_if(fn, fn.frames.top().indent);
}

void keyword_stray_else(FunctionContext& fn) {
  Context& c = fn.c;
  c.lexer.fail(fmt::format("{} without an if before it", c.lexer.found()));
}

/// Blocks and their init have frames of their own kind; all others are forms.
void with_item(FunctionContext& fn) {
  Context& c = fn.c;
  const SyntaxId root = c.parser.parse();
  std::string_view name;
  if (c.lexer.at_word("as")) {
    c.lexer.advance();
    name = expect_name(fn, "a name after 'as'");
  }
  const std::string_view callee = tir_callee(c, root);
  if (callee == "block") return open_block(fn, arguments_of(c, root));
  if (callee == "init") return open_init(fn, arguments_of(c, root));
  const Form* const scope = find_form(Form::Place::scope, Form::Prefix::tir, callee);
  if (scope == nullptr) c.values.fail({.syntax = root}, "this does not open a scope");
  open_scope(fn, *scope, name, root, Reach::own_suite);
}

/// `with a, b:` opens one scope inside the other.
void keyword_with(FunctionContext& fn) {
  const std::uint32_t header_indent = fn.frames.top().indent;
  fn.c.lexer.advance();
  with_item(fn);
  while (fn.c.lexer.accept(Sign::comma)) {
    // Only the last one holds lines; all of them end where it ends.
    fn.frames.top().indent = header_indent + 1;
    with_item(fn);
    fn.frames.top().header_indent = header_indent;
  }
  end_header(fn);
}

/// The assertion is around the rest of the suite.
void keyword_assert(FunctionContext& fn) {
  Context& c = fn.c;
  c.lexer.advance();
  const NodeId condition = as_expr(c, read_value(c));
  if (!c.lexer.accept(Sign::comma)) {
    c.lexer.fail(fmt::format("expected ',' and a message, found {}", c.lexer.found()));
  }
  const NodeId message = as_expr(c, read_value(c));
  open_frame(fn, FrameKind::scoped, Reach::rest_of_suite);
  add_assert(fn, condition, message);
  end_line(fn);
}

/// `return x` is a call of tir.ret since v0.16.
void keyword_return(FunctionContext& fn) {
  Context& c = fn.c;
  c.lexer.advance();
  c.versions.observe(TvmFeature::return_statement);
  const NodeId value = as_expr(c, read_value(c));
  const NodeId call = c.make.call_inferred("tir.ret", {&value, 1}, c.function());
  add_statement(fn, c.builder.make(Kind::Evaluate, {call}));
  end_line(fn);
}

/// The body of a function or a loop that does nothing.
void keyword_pass(FunctionContext& fn) {
  fn.c.lexer.advance();
  end_line(fn);
}

}  // namespace

/// Words of Python that TVM's printer or people's scripts begin lines with.
Keyword find_keyword(std::string_view word) {
  static const std::unordered_map<std::string_view, Keyword> keywords{
      {"for", keyword_for},         {"while", keyword_while},     {"if", keyword_if},
      {"else", keyword_stray_else}, {"elif", keyword_stray_else}, {"with", keyword_with},
      {"assert", keyword_assert},   {"return", keyword_return},   {"pass", keyword_pass},
      {"def", keyword_nested},      {"class", keyword_nested},
  };
  const auto found = keywords.find(word);
  return found == keywords.end() ? nullptr : found->second;
}

/// The line is `else:` or `elif …:` and the innermost frame its then branch.
void start_else(FunctionContext& fn) {
  const std::uint32_t header_indent = fn.frames.top().header_indent;
  const bool is_elif = fn.c.lexer.at_word("elif");
  fn.frames.start_else();
  if (is_elif) {
    // The else branch holds nothing but the next `if`, whose lines are indented further.
    fn.frames.top().indent = header_indent + 1;
    return open_if(fn, header_indent);
  }
  fn.c.lexer.advance();
  end_header(fn);
}

void keyword_nested(FunctionContext& fn) {
  fn.c.lexer.fail("a function or class inside a function is not TIR");
}

}  // namespace mlf::tir::tvmscript
