// A function as a whole: its head, its suite.
#include <fmt/core.h>

#include "support/error.h"
#include "tir/tvm_features.h"
#include "tir/tvmscript/blocks.h"
#include "tir/tvmscript/buffers.h"
#include "tir/tvmscript/calls.h"
#include "tir/tvmscript/conversions.h"
#include "tir/tvmscript/definitions.h"
#include "tir/tvmscript/expressions.h"
#include "tir/tvmscript/function.h"
#include "tir/tvmscript/lines.h"
#include "tir/tvmscript/names.h"
#include "tir/tvmscript/statements.h"

namespace mlf::tir::tvmscript {
namespace {

using text::Sign;
using text::TokenKind;

/// `n: T.int32`, `n: T.int32(is_size_var=True)`, `n: T.Var("n", "bfloat16")`
NodeId read_scalar_param(FunctionContext& fn, std::string_view name, text::SyntaxId root) {
  Context& c = fn.c;
  const std::string_view callee = tir_callee(c, root);
  if (callee == "Var" || callee == "SizeVar") {
    return constructed_var(fn, name, arguments_of(c, root));
  }
  const auto dtype = parse_dtype(callee);
  if (!dtype || dtype->is_void() || dtype->is_handle()) {
    return c.make.var(name, as_type(c, lower(c, root)));
  }
  const auto size_var = arguments_of(c, root).keyword("is_size_var");
  const Kind kind = size_var && as_boolean(c, *size_var) ? Kind::SizeVar : Kind::Var;
  return c.make.var(name, c.make.prim_type(*dtype), kind);
}

/// `n: T.int32`, or `A: T.Buffer((16,), "float32")` in place of a handle and its buffer.
void read_param(FunctionContext& fn) {
  Context& c = fn.c;
  const std::string_view name = expect_name(fn, "a parameter");
  if (!c.lexer.accept(Sign::colon)) {
    c.lexer.fail(fmt::format("expected ':' and the type of {}, found {}", name, c.lexer.found()));
  }
  const std::uint32_t begin = c.lexer.token().begin;
  const text::SyntaxId root = c.parser.parse();
  // v0.9 to v0.11 write T.Buffer[…], since then it is a call.
  if (tir_callee(c, root) != "Buffer" && tir_generic(c, root) != "Buffer") {
    fn.draft.params.push_back(read_scalar_param(fn, name, root));
    return bind(fn, name, fn.draft.params.back());
  }
  c.lose(LossCode::hidden_param);
  const NodeId handle =
      c.make.var(fmt::format("{}_handle", name), c.make.prim_type(DType::Handle()));
  const NodeId buffer = declare_buffer(c, name, arguments_of(c, root), 0);
  c.builder.set_source_range(buffer, {begin, c.lexer.token().begin});
  fn.draft.params.push_back(handle);
  fn.draft.buffer_map.push_back({handle, buffer});
  bind(fn, name, buffer);
}

/// Parameters share one line, maybe a long one: its syntax is kept until the body begins.
void read_params(FunctionContext& fn) {
  Context& c = fn.c;
  c.values.clear();
  if (!c.lexer.accept(Sign::open_paren)) {
    c.lexer.fail(
        fmt::format("expected '(' after the name of a function, found {}", c.lexer.found()));
  }
  while (!c.lexer.token().is(Sign::close_paren)) {
    read_param(fn);
    if (!c.lexer.accept(Sign::comma) && !c.lexer.token().is(Sign::close_paren)) {
      c.lexer.fail(fmt::format("expected ')' after parameters, found {}", c.lexer.found()));
    }
  }
  c.lexer.advance();
}

/// Comments say nothing, but for the one that replaces the root block.
void read_comment(FunctionContext& fn) {
  Context& c = fn.c;
  const std::string_view comment = c.lexer.text(c.lexer.token());
  if (is_root_block(comment) && c.lexer.indentation() > fn.frames.top().header_indent &&
      fn.frames.blocks().empty()) {
    fn.line_begin = c.lexer.token().begin;
    align(fn);
    open_root_block(fn);
  }
  c.lexer.advance();
}

/// Lines belong to the body as long as they are indented further than `def`.
void read_body(FunctionContext& fn) {
  Context& c = fn.c;
  const std::uint32_t outside = fn.frames.top().header_indent;
  for (;;) {
    if (c.lexer.token().is(TokenKind::comment)) {
      read_comment(fn);
      continue;
    }
    if (c.lexer.token().is(TokenKind::end) || c.lexer.indentation() <= outside) break;
    align(fn);
    read_statement(fn);
  }
  // A header at the end of the text has no lines below it.
  if (fn.expects_suite) c.lexer.fail("expected an indented line");
  while (fn.frames.depth() > 1) fn.frames.close(fn.line_end);
  fn.draft.body = fn.frames.finish();
}

}  // namespace

/// All that the function binds is released at its end, its losses are noted under its name.
void read_function(Context& c, FunctionDraft& draft) {
  FunctionContext fn(c, draft);
  fn.line_begin = c.lexer.token().begin;
  draft.range.begin = fn.line_begin;
  const std::uint32_t indent = c.lexer.indentation();
  c.lexer.advance();
  draft.name_offset = c.lexer.token().begin;
  draft.name = expect_name(fn, "the name of a function");
  c.function_losses.enter(draft.name);
  const std::size_t mark = c.names.mark();
  read_params(fn);
  draft.ret_type = c.make.void_type();
  if (c.lexer.accept(Sign::arrow)) {
    const Value type = read_value(c);
    draft.ret_type = as_type(c, type);
    // v0.11 and later leave a void result out.
    if (type.kind == ValueKind::none) c.versions.observe(TvmFeature::void_result);
  } else {
    c.versions.observe_absence(TvmFeature::void_result);
  }
  fn.frames.open({.kind = FrameKind::function,
                  .indent = indent,
                  .header_indent = indent,
                  .begin = fn.line_begin});
  end_header(fn);
  read_body(fn);
  if (!c.threads_ahead.empty()) {
    const auto& [name, thread] = *c.threads_ahead.begin();
    support::fail_at(c.source, thread.offset, fmt::format("'{}' is not defined", name),
                     name.size());
  }
  c.names.release(mark);
  draft.range.end = fn.line_end;
  c.function_losses.enter({});
}

}  // namespace mlf::tir::tvmscript
