#include "tir/tvmscript/statements.h"

#include <fmt/core.h>

#include "support/error.h"
#include "tir/tvm_features.h"
#include "tir/tvmscript/accesses.h"
#include "tir/tvmscript/blocks.h"
#include "tir/tvmscript/calls.h"
#include "tir/tvmscript/conversions.h"
#include "tir/tvmscript/definitions.h"
#include "tir/tvmscript/expressions.h"
#include "tir/tvmscript/lines.h"
#include "tir/tvmscript/scopes.h"

namespace mlf::tir::tvmscript {
namespace {

using text::Sign;
using text::SyntaxId;
using text::SyntaxKind;
using text::TokenKind;

/// A variable for the rest of the suite.
void read_let_line(FunctionContext& fn, std::string_view name, NodeId type, NodeId value) {
  const NodeId var = scope_var(fn, name, type);
  open_frame(fn, FrameKind::scoped, Reach::rest_of_suite);
  fn.frames.add_scope(Kind::LetStmt, f::LetStmt::body, {var, value, NodeId::none});
  bind(fn, name, var);
}

/// `x: T.int32 = v`
void read_annotated(FunctionContext& fn, SyntaxId target) {
  Context& c = fn.c;
  const std::string_view name = target_name(fn, target);
  c.lexer.advance();
  const NodeId type = as_type(c, read_value(c));
  if (!c.lexer.accept(Sign::assign)) {
    c.lexer.fail(fmt::format("expected '=' after the type of {}, found {}", name, c.lexer.found()));
  }
  read_let_line(fn, name, type, as_expr(c, read_value(c)));
}

/// `name = …`: a declaration, a scope around the rest of the suite, or else a let without a type.
void define(FunctionContext& fn, SyntaxId target, SyntaxId value) {
  Context& c = fn.c;
  const std::string_view name = target_name(fn, target);
  if (const auto known = fn.declared_ahead.find(fn.line_begin); known != fn.declared_ahead.end()) {
    return bind(fn, name, known->second);
  }
  if (is_declaration(fn, value)) return bind(fn, name, read_declaration(fn, name, value));
  const std::string_view callee = tir_callee(c, value);
  if (const Form* const scope = find_form(Form::Place::scope, Form::Prefix::tir, callee)) {
    return open_scope(fn, *scope, name, value, Reach::rest_of_suite);
  }
  // TVM merges axes from two on, people also write one.
  if (callee == "axis.remap") return define_remap(fn, {target}, arguments_of(c, value));
  const NodeId node = as_expr(c, lower(c, value));
  const DType dtype = c.make.dtype_of(node);
  c.lose(LossCode::var_type);
  read_let_line(fn, name, dtype.is_void() ? c.make.void_type() : c.make.prim_type(dtype), node);
}

/// `n, m = T.int32(), T.int32()` or `vi, vj = T.axis.remap("SS", [i, j])`.
/// Since v0.12 the printer gathers declarations in a row into one line.
void define_all(FunctionContext& fn, const std::vector<SyntaxId>& names,
                const std::vector<SyntaxId>& values) {
  Context& c = fn.c;
  if (values.size() == 1 && tir_callee(c, values.front()) == "axis.remap") {
    return define_remap(fn, names, arguments_of(c, values.front()));
  }
  // Each name has its own value: tuples are never unpacked.
  if (names.size() != values.size()) {
    const text::Syntax& first = c.values.syntax(names.front());
    support::fail_at(c.source, first.begin,
                     fmt::format("{} names for {} values", names.size(), values.size()));
  }
  for (std::size_t i = 0; i < names.size(); ++i) define(fn, names[i], values[i]);
}

/// `A[i, j] = v`; a name that nothing is bound to is a te.Tensor before it got a buffer.
void read_store(FunctionContext& fn, SyntaxId target, SyntaxId value) {
  Context& c = fn.c;
  const Value access = lower(c, target);
  if (access.kind != ValueKind::access) fail_expected(c, access, "an element of a buffer");
  Builder& b = c.builder;
  const std::vector<NodeId> indices = as_indices(c, access);
  const Value stored = lower(c, value);
  if (access.node == NodeId::none) {
    const NodeId producer = as_producer(c, access);
    return add_statement(
        fn, b.make(Kind::ProducerStore, {producer, as_expr(c, stored), b.list(indices)}));
  }
  const bool is_of_buffer = c.rules.stored_numbers == Rules::StoredNumbers::of_buffer;
  const NodeId node = is_of_buffer
                          ? as_expr_of(c, stored, c.make.loaded_dtype(access.node, indices))
                          : as_expr(c, stored);
  add_statement(fn, b.make(Kind::BufferStore, {access.node, node, b.list(indices), NodeId::none}));
}

/// One target or several, each an element of a buffer or a name.
void read_assignment(FunctionContext& fn, SyntaxId first_target) {
  Context& c = fn.c;
  std::vector<SyntaxId> targets{first_target};
  while (c.lexer.accept(Sign::comma)) targets.push_back(c.parser.parse());
  if (!c.lexer.accept(Sign::assign)) {
    c.lexer.fail(fmt::format("expected '=', found {}", c.lexer.found()));
  }
  std::vector<SyntaxId> values{c.parser.parse()};
  while (c.lexer.accept(Sign::comma)) values.push_back(c.parser.parse());
  if (targets.size() > 1 || values.size() > 1) return define_all(fn, targets, values);
  if (c.values.syntax(first_target).kind == SyntaxKind::subscript) {
    return read_store(fn, first_target, values.front());
  }
  define(fn, first_target, values.front());
}

/// `A.vstore([…], value, predicate=p)`
void read_predicated_store(FunctionContext& fn, SyntaxId call) {
  Context& c = fn.c;
  const Arguments args = arguments_of(c, call);
  args.expect(2, 3);
  args.expect_keywords({"predicate"});
  c.versions.observe(TvmFeature::predicated_accesses);
  const std::string_view callee = args.callee();
  const std::string_view name = callee.substr(0, callee.rfind('.'));
  const NodeId buffer = c.names.find(name);
  if (buffer == NodeId::none || !c.node(buffer).is(Kind::Buffer)) {
    args.fail(fmt::format("'{}' is not a buffer", name));
  }
  const std::vector<NodeId> indices = as_exprs(c, args[0]);
  const NodeId value = as_expr(c, args[1]);
  const NodeId predicate = as_optional_expr(c, args.find(2, "predicate"));
  add_statement(
      fn, c.builder.make(Kind::BufferStore, {buffer, value, c.builder.list(indices), predicate}));
}

/// A call of a form that is a line or a scope; any other expression is evaluated, as the printer
/// shows calls since v0.11.
void read_expression_statement(FunctionContext& fn, SyntaxId root) {
  Context& c = fn.c;
  const text::Syntax& syntax = c.values.syntax(root);
  if (syntax.kind == SyntaxKind::string) return;  // a doc string
  const std::string_view callee = tir_callee(c, root);
  if (const Form* const line = find_form(Form::Place::line, Form::Prefix::tir, callee)) {
    return read_line(fn, *line, arguments_of(c, root));
  }
  if (const Form* const scope = find_form(Form::Place::scope, Form::Prefix::tir, callee)) {
    return open_scope(fn, *scope, {}, root, Reach::rest_of_suite);
  }
  if (syntax.kind == SyntaxKind::call && callee.empty() &&
      c.slice(syntax.begin, syntax.name_begin).ends_with(".vstore")) {
    return read_predicated_store(fn, root);
  }
  const NodeId value = as_expr(c, lower(c, root));
  add_statement(fn, c.builder.make(Kind::Evaluate, {value}));
}

void read_simple_statement(FunctionContext& fn) {
  Context& c = fn.c;
  const SyntaxId root = c.parser.parse();
  if (c.lexer.token().is(Sign::colon)) {
    read_annotated(fn, root);
  } else if (c.lexer.token().is(Sign::assign) || c.lexer.token().is(Sign::comma)) {
    read_assignment(fn, root);
  } else {
    read_expression_statement(fn, root);
  }
  end_line(fn);
}

}  // namespace

/// Closes what the indentation of the line at hand ends.
/// An `else` line closes nothing: it belongs to the then branch in front of it.
void align(FunctionContext& fn) {
  Context& c = fn.c;
  const std::uint32_t indent = c.lexer.indentation();
  if (fn.expects_suite) {
    if (indent <= fn.frames.top().header_indent) {
      c.lexer.fail("expected an indented line");
    }
    fn.frames.top().indent = indent;
    fn.expects_suite = false;
    return;
  }
  if (indent > fn.frames.top().indent) c.lexer.fail("this line is indented too far");
  while (fn.frames.depth() > 1 && fn.frames.top().indent > indent) {
    const Frame& top = fn.frames.top();
    const bool takes_else = top.kind == FrameKind::then_branch && top.header_indent == indent &&
                            (c.lexer.at_word("else") || c.lexer.at_word("elif"));
    if (takes_else) return;
    fn.frames.close(fn.line_end);
  }
  if (fn.frames.top().indent != indent) {
    c.lexer.fail("the indentation of this line matches no line above it");
  }
}

/// Values of the line before are forgotten: memory is that of one line.
void read_statement(FunctionContext& fn) {
  Context& c = fn.c;
  fn.line_begin = c.lexer.token().begin;
  c.values.clear();
  if (c.builder.size() > c.limits.max_nodes) {
    c.lexer.fail(fmt::format("more than {} nodes", c.limits.max_nodes));
  }
  if (fn.frames.top().indent > c.lexer.indentation()) return start_else(fn);
  if (c.lexer.token().is(TokenKind::name)) {
    const Keyword keyword = find_keyword(c.lexer.text(c.lexer.token()));
    if (keyword != nullptr && !is_plain_name(fn)) return keyword(fn);
  }
  if (c.lexer.token().is(Sign::at)) return keyword_nested(fn);
  read_simple_statement(fn);
}

}  // namespace mlf::tir::tvmscript
