// Statements that begin with a word of Python.
#include <fmt/core.h>

#include "tir/tvm_features.h"
#include "tir/tvmscript/statements.h"

namespace mlf::tir::tvmscript {

using text::Sign;
using text::SyntaxId;
using text::TokenKind;

const std::unordered_map<std::string_view, Statements::Keyword>& Statements::keywords() {
  static const std::unordered_map<std::string_view, Keyword> words{
      {"for", &Statements::keyword_for},         {"while", &Statements::keyword_while},
      {"if", &Statements::keyword_if},           {"else", &Statements::keyword_stray_else},
      {"elif", &Statements::keyword_stray_else}, {"with", &Statements::keyword_with},
      {"assert", &Statements::keyword_assert},   {"return", &Statements::keyword_return},
      {"pass", &Statements::keyword_pass},       {"def", &Statements::keyword_nested},
      {"class", &Statements::keyword_nested},
  };
  return words;
}

void Statements::keyword_while() {
  lexer_.advance();
  const NodeId condition = read_expr();
  open(FrameKind::scoped, Form::nested);
  frames_.add_scope(Kind::While, f::While::body, {condition, NodeId::none});
  end_header();
}

void Statements::keyword_if() {
  open_if(frames_.top().indent);
}

void Statements::open_if(std::uint32_t header_indent) {
  lexer_.advance();
  const NodeId condition = read_expr();
  const Node value = c_.node(condition);
  if (c_.rules.drops_dead_else && value.is(Kind::IntImm) && value.integer(f::IntImm::value) != 0) {
    c_.lose(LossCode::else_branch, "if True");
  }
  open(FrameKind::then_branch, Form::nested);
  frames_.top().header_indent = header_indent;
  frames_.top().condition = condition;
  end_header();
}

/// The line is `else:` or `elif …:` and the innermost frame its then branch.
void Statements::start_else() {
  const std::uint32_t header_indent = frames_.top().header_indent;
  const bool is_elif = at_word("elif");
  frames_.start_else();
  if (is_elif) {
    // The else branch holds nothing but the next `if`, whose lines are indented further.
    frames_.top().indent = header_indent + 1;
    return open_if(header_indent);
  }
  lexer_.advance();
  end_header();
}

void Statements::keyword_stray_else() {
  lexer_.fail(lexer_.token(), fmt::format("{} without an if before it", lexer_.found()));
}

void Statements::keyword_with() {
  const std::uint32_t header_indent = frames_.top().indent;
  lexer_.advance();
  with_item();
  while (lexer_.accept(Sign::comma)) {
    // Only the last one holds lines; all of them end where it ends.
    frames_.top().indent = header_indent + 1;
    with_item();
    frames_.top().header_indent = header_indent;
  }
  end_header();
}

void Statements::with_item() {
  const SyntaxId root = exprs_.parse();
  std::string_view name;
  if (at_word("as")) {
    lexer_.advance();
    name = expect_name("a name after 'as'");
  }
  const std::string_view callee = exprs_.tir_callee(root);
  const auto opener = openers().find(callee);
  if (callee == "block" || callee == "sblock") return open_block(exprs_.arguments(root));
  if (callee == "init") return open_init(exprs_.arguments(root));
  if (opener == openers().end()) {
    exprs_.fail({.syntax = root}, "this opens no scope");
  }
  const Arguments args = exprs_.arguments(root);
  open(FrameKind::scoped, Form::nested);
  bind(name, (this->*opener->second)(name, args));
}

void Statements::keyword_assert() {
  lexer_.advance();
  const NodeId condition = read_expr();
  if (!lexer_.accept(Sign::comma)) {
    lexer_.fail(lexer_.token(),
                fmt::format("expected ',' and a message, found {}", lexer_.found()));
  }
  const NodeId message = read_expr();
  open(FrameKind::scoped, Form::concise);
  add_assert(condition, message);
  end_line();
}

void Statements::keyword_return() {
  lexer_.advance();
  c_.versions.observe(TvmFeature::return_statement);
  const NodeId value = read_expr();
  const NodeId call = c_.make.call_inferred("tir.ret", {&value, 1}, c_.function());
  add(c_.builder.make(Kind::Evaluate, {call}));
  end_line();
}

void Statements::keyword_pass() {
  lexer_.advance();
  end_line();
}

void Statements::keyword_nested() {
  lexer_.fail(lexer_.token(), "a function or class inside a function is no TIR");
}

}  // namespace mlf::tir::tvmscript
