// Loops.
#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "tir/tvmscript/attributes.h"
#include "tir/tvmscript/calls.h"
#include "tir/tvmscript/conversions.h"
#include "tir/tvmscript/definitions.h"
#include "tir/tvmscript/expressions.h"
#include "tir/tvmscript/lines.h"
#include "tir/tvmscript/statements.h"

namespace mlf::tir::tvmscript {
namespace {

using text::Sign;
using text::SyntaxId;
using text::TokenKind;

struct LoopForm {
  std::string_view name;
  ForKind kind;
};

/// The kinds of loops by their functions in T; a bare range() is serial.
constexpr LoopForm kLoops[] = {
    {"serial", ForKind::serial},
    {"parallel", ForKind::parallel},
    {"vectorized", ForKind::vectorized},
    {"unroll", ForKind::unrolled},
    {"thread_binding", ForKind::thread_binding},
};

/// `name = T.int32()`
struct Declaration {
  std::uint32_t begin;
  std::string_view name;
  SyntaxId value;
};

/// The lines of a suite up to the first one that is not a declaration, from the colon above it on.
std::vector<Declaration> declarations_of_suite(FunctionContext& fn) {
  Context& c = fn.c;
  std::vector<Declaration> lines;
  c.lexer.advance();
  c.lexer.skip_lines();
  while (c.lexer.token().is(TokenKind::name) && is_plain_name(fn)) {
    const std::uint32_t begin = c.lexer.token().begin;
    const SyntaxId target = c.parser.parse();
    if (!c.lexer.accept(Sign::assign)) break;
    const SyntaxId value = c.parser.parse();
    if (!is_declaration(fn, value)) break;
    lines.push_back({begin, target_name(fn, target), value});
    c.lexer.skip_lines();
  }
  return lines;
}

/// From v0.12 on, what a loop's bounds mention first is declared below them, at the top of the
/// loop's suite. Those lines are read first; once it is their turn, they say nothing new.
void declare_ahead(FunctionContext& fn, SyntaxId bounds) {
  Context& c = fn.c;
  std::set<std::string_view> wanted;
  add_unknown_names(c, bounds, wanted);
  if (wanted.empty() || !c.lexer.token().is(Sign::colon)) return;
  const std::uint32_t header_end = c.lexer.token().begin;
  const std::vector<Declaration> lines = declarations_of_suite(fn);
  c.lexer.seek(header_end);
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    if (wanted.contains(line->name)) add_unknown_names(c, line->value, wanted);
  }
  const std::uint32_t header_begin = fn.line_begin;
  for (const Declaration& line : lines) {
    if (!wanted.contains(line.name)) continue;
    fn.line_begin = line.begin;
    bind(fn, line.name,
         fn.declared_ahead[line.begin] = read_declaration(fn, line.name, line.value));
  }
  fn.line_begin = header_begin;
}

/// The range is remembered: `T.axis.remap` says nothing but the loop variable.
void add_loop(FunctionContext& fn, std::string_view name, NodeId min, NodeId extent, ForKind kind,
              NodeId thread, const std::vector<NamedNode>& annotations) {
  Context& c = fn.c;
  const NodeId var = scope_var(fn, name, c.make.prim_type(c.make.dtype_of(extent)));
  fn.frames.add_scope(Kind::For, f::For::body,
                      {var, min, extent, kind, NodeId::none, thread, c.builder.map(annotations)});
  fn.loop_ranges[index(var)] = {min, extent};
  bind(fn, name, var);
}

/// The thread that a loop is bound to; nothing where none is printed, for the IR allows that.
NodeId thread_of(Context& c, const Arguments& args, DType dtype) {
  const auto tag = args.find(2, "thread");
  if (!tag) return NodeId::none;
  const NodeId var = c.make.var("", c.make.prim_type(dtype));
  return c.builder.make(Kind::IterVar, {NodeId::none, var, IterVarType::ThreadIndex,
                                        c.builder.string(as_string(c, *tag))});
}

/// `range(16)`, `T.serial(2, 16)`, `T.thread_binding(32, thread="threadIdx.x")`
void open_loop(FunctionContext& fn, std::string_view name, const Arguments& args, ForKind kind) {
  Context& c = fn.c;
  args.expect(1, 2);
  args.expect_keywords({"thread", "annotations"});
  const NodeId last = as_expr(c, args[args.size() - 1]);
  const DType dtype = c.make.dtype_of(last);
  NodeId min = NodeId::none;
  NodeId extent = last;
  if (args.size() == 2) {
    min = as_expr_of(c, args[0], dtype);
    extent = c.make.extent(min, last, c.function());
  } else {
    min = c.make.int_imm(dtype, 0);
  }
  NodeId thread = NodeId::none;
  if (kind == ForKind::thread_binding) {
    c.lose(LossCode::thread_binding);
    thread = thread_of(c, args, dtype);
  }
  const auto annotations = args.keyword("annotations");
  add_loop(fn, name, min, extent, kind, thread,
           annotations ? as_attribute_map(c, *annotations) : std::vector<NamedNode>());
}

/// `for i, j in T.grid(16, 16)` is two loops, each the body of the other.
void open_loops(FunctionContext& fn, const std::vector<std::string_view>& names,
                SyntaxId iterable) {
  Context& c = fn.c;
  const text::Syntax& syntax = c.values.syntax(iterable);
  const std::string_view callee = tir_callee(c, iterable);
  const bool is_range = syntax.kind == text::SyntaxKind::call && callee.empty() &&
                        c.slice(syntax.begin, syntax.name_begin) == "range";
  const auto* const form = std::ranges::find(kLoops, callee, &LoopForm::name);
  if (!is_range && callee != "grid" && form == std::end(kLoops)) {
    c.values.fail({.syntax = iterable},
                  "expected range(), T.grid(), or one of T.serial, parallel, vectorized, unroll "
                  "and thread_binding");
  }
  const std::size_t expected = callee == "grid" ? syntax.arity - 1 : 1;
  if (names.size() != expected) {
    c.values.fail({.syntax = iterable},
                  fmt::format("names of {} loop variables for {} loops", names.size(), expected));
  }
  open_frame(fn, FrameKind::scoped, Reach::own_suite);
  declare_ahead(fn, iterable);
  if (callee != "grid") {
    return open_loop(fn, names.front(), arguments_of(c, iterable),
                     is_range ? ForKind::serial : form->kind);
  }
  // One by one: in v0.8 an extent may depend on the loops before it.
  const std::vector<SyntaxId> extents = argument_syntax(c, iterable);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const NodeId extent = as_expr(c, lower(c, extents[i]));
    const NodeId zero = c.make.int_imm(c.make.dtype_of(extent), 0);
    add_loop(fn, names[i], zero, extent, ForKind::serial, NodeId::none, {});
  }
}

}  // namespace

/// Several names are those of T.grid.
void keyword_for(FunctionContext& fn) {
  Context& c = fn.c;
  c.lexer.advance();
  std::vector<std::string_view> names;
  do {
    names.push_back(expect_name(fn, "a loop variable"));
  } while (c.lexer.accept(Sign::comma));
  if (!c.lexer.at_word("in")) {
    c.lexer.fail(fmt::format("expected 'in' after the loop variable, found {}", c.lexer.found()));
  }
  c.lexer.advance();
  const SyntaxId iterable = c.parser.parse();
  open_loops(fn, names, iterable);
  end_header(fn);
}

}  // namespace mlf::tir::tvmscript
