// A function as a whole: its head, its suite.
#include <fmt/core.h>

#include "support/error.h"
#include "tir/tvm_features.h"
#include "tir/tvmscript/buffers.h"
#include "tir/tvmscript/statements.h"

namespace mlf::tir::tvmscript {

using text::Sign;
using text::TokenKind;

void Statements::read_function(FunctionDraft& draft) {
  draft_ = &draft;
  begin_ = lexer_.token().begin;
  draft.range.begin = begin_;
  const std::uint32_t indent = lexer_.indentation();
  lexer_.advance();
  draft.name_offset = lexer_.token().begin;
  draft.name = expect_name("the name of a function");
  c_.function_losses.enter(draft.name);
  const std::size_t mark = c_.names.mark();
  read_params();
  draft.ret_type = c_.make.void_type();
  if (lexer_.accept(Sign::arrow)) {
    const Value type = exprs_.read();
    draft.ret_type = exprs_.type(type);
    if (type.kind == ValueKind::none) c_.versions.observe(TvmFeature::void_result);
  } else {
    c_.versions.observe_absence(TvmFeature::void_result);
  }
  frames_.open(
      {.kind = FrameKind::function, .indent = indent, .header_indent = indent, .begin = begin_});
  end_header();
  read_body();
  c_.names.release(mark);
  draft.range.end = line_end_;
  c_.function_losses.enter({});
}

void Statements::read_params() {
  exprs_.clear();
  if (!lexer_.accept(Sign::open_paren)) {
    lexer_.fail(lexer_.token(),
                fmt::format("expected '(' after the name of a function, found {}", lexer_.found()));
  }
  while (!lexer_.token().is(Sign::close_paren)) {
    read_param();
    if (!lexer_.accept(Sign::comma) && !lexer_.token().is(Sign::close_paren)) {
      lexer_.fail(lexer_.token(),
                  fmt::format("expected ')' after parameters, found {}", lexer_.found()));
    }
  }
  lexer_.advance();
}

/// `n: T.int32`, or `A: T.Buffer((16,), "float32")` in place of a handle and its buffer.
void Statements::read_param() {
  const std::string_view name = expect_name("a parameter");
  if (!lexer_.accept(Sign::colon)) {
    lexer_.fail(lexer_.token(),
                fmt::format("expected ':' and the type of {}, found {}", name, lexer_.found()));
  }
  const std::uint32_t begin = lexer_.token().begin;
  const text::SyntaxId root = exprs_.parse();
  if (exprs_.tir_callee(root) != "Buffer" && exprs_.tir_generic(root) != "Buffer") {
    draft_->params.push_back(read_scalar_param(name, root));
    return bind(name, draft_->params.back());
  }
  c_.lose(LossCode::hidden_param, "parameters behind their buffers");
  const NodeId handle =
      c_.make.var(fmt::format("{}_handle", name), c_.make.prim_type(DType::Handle()));
  const NodeId buffer = declare_buffer(exprs_, name, exprs_.arguments(root), 0);
  c_.builder.set_source_range(buffer, {begin, lexer_.token().begin});
  draft_->params.push_back(handle);
  draft_->buffer_map.push_back({handle, buffer});
  bind(name, buffer);
}

/// `n: T.int32`, `n: T.int32(is_size_var=True)`, `n: T.Var("n", "bfloat16")`
NodeId Statements::read_scalar_param(std::string_view name, text::SyntaxId root) {
  const std::string_view callee = exprs_.tir_callee(root);
  if (callee == "Var" || callee == "SizeVar") return constructed_var(name, exprs_.arguments(root));
  const auto dtype = parse_dtype(callee);
  if (!dtype || dtype->is_void() || dtype->is_handle()) {
    return c_.make.var(name, exprs_.type(exprs_.lower(root)));
  }
  const auto size_var = exprs_.arguments(root).keyword("is_size_var");
  const Kind kind = size_var && exprs_.boolean(*size_var) ? Kind::SizeVar : Kind::Var;
  return c_.make.var(name, c_.make.prim_type(*dtype), kind);
}

void Statements::read_body() {
  const std::uint32_t outside = frames_.top().header_indent;
  for (;;) {
    if (lexer_.token().is(TokenKind::comment)) {
      read_comment();
      continue;
    }
    if (lexer_.token().is(TokenKind::end) || lexer_.indentation() <= outside) break;
    align();
    statement();
  }
  if (expects_suite_) lexer_.fail(lexer_.token(), "expected an indented line");
  while (frames_.depth() > 1) frames_.close(line_end_);
  draft_->body = frames_.finish();
}

void Statements::read_comment() {
  const std::string_view comment = lexer_.text(lexer_.token());
  if (is_root_block(comment) && lexer_.indentation() > frames_.top().header_indent &&
      frames_.blocks().empty()) {
    begin_ = lexer_.token().begin;
    align();
    open_root_block();
  }
  lexer_.advance();
}

}  // namespace mlf::tir::tvmscript
