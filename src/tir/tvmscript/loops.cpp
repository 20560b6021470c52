#include <fmt/core.h>

#include <algorithm>
#include <set>

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

constexpr LoopForm kLoops[] = {
    {"serial", ForKind::serial},
    {"parallel", ForKind::parallel},
    {"vectorized", ForKind::vectorized},
    {"unroll", ForKind::unrolled},
    {"thread_binding", ForKind::thread_binding},
};

}  // namespace

void Statements::keyword_for() {
  lexer_.advance();
  std::vector<std::string_view> names;
  do {
    names.push_back(expect_name("a loop variable"));
  } while (lexer_.accept(Sign::comma));
  if (!at_word("in")) {
    lexer_.fail(lexer_.token(),
                fmt::format("expected 'in' after the loop variable, found {}", lexer_.found()));
  }
  lexer_.advance();
  const SyntaxId iterable = exprs_.parse();
  open_loops(names, iterable);
  end_header();
}

/// From v0.12 on, what a loop's bounds mention first is declared below them, at the top of the
/// loop's suite. Those lines are read first; once it is their turn, they say nothing new.
void Statements::declare_ahead(SyntaxId bounds) {
  std::set<std::string_view> wanted;
  exprs_.add_unknown_names(bounds, wanted);
  if (wanted.empty() || !lexer_.token().is(Sign::colon)) return;
  const std::uint32_t header_end = lexer_.token().begin;
  const std::vector<Declaration> lines = declarations_of_suite();
  lexer_.seek(header_end);
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    if (wanted.contains(line->name)) exprs_.add_unknown_names(line->value, wanted);
  }
  const std::uint32_t header_begin = begin_;
  for (const Declaration& line : lines) {
    if (!wanted.contains(line.name)) continue;
    begin_ = line.begin;
    bind(line.name, ahead_[line.begin] = declaration(line.name, line.value));
  }
  begin_ = header_begin;
}

/// The lines of a suite up to the first one that is no declaration, from the colon above it on.
std::vector<Statements::Declaration> Statements::declarations_of_suite() {
  std::vector<Declaration> lines;
  lexer_.advance();
  lexer_.skip_lines();
  while (lexer_.token().is(TokenKind::name) && is_plain_name()) {
    const std::uint32_t begin = lexer_.token().begin;
    const SyntaxId target = exprs_.parse();
    if (!lexer_.accept(Sign::assign)) break;
    const SyntaxId value = exprs_.parse();
    if (!is_declaration(value)) break;
    lines.push_back({begin, target_name(target), value});
    lexer_.skip_lines();
  }
  return lines;
}

void Statements::open_loops(const std::vector<std::string_view>& names, SyntaxId iterable) {
  const text::Syntax& syntax = exprs_.syntax(iterable);
  const std::string_view callee = exprs_.tir_callee(iterable);
  const bool is_range = syntax.kind == text::SyntaxKind::call && callee.empty() &&
                        lexer_.slice(syntax.begin, syntax.name_begin) == "range";
  const auto* const form = std::ranges::find(kLoops, callee, &LoopForm::name);
  if (!is_range && callee != "grid" && form == std::end(kLoops)) {
    exprs_.fail({.syntax = iterable},
                "expected range(), T.grid(), or one of T.serial, parallel, vectorized, unroll "
                "and thread_binding");
  }
  const std::size_t expected = callee == "grid" ? syntax.arity - 1 : 1;
  if (names.size() != expected) {
    exprs_.fail({.syntax = iterable},
                fmt::format("names of {} loop variables for {} loops", names.size(), expected));
  }
  open(FrameKind::scoped, Form::nested);
  declare_ahead(iterable);
  if (callee != "grid") {
    return open_loop(names.front(), exprs_.arguments(iterable),
                     is_range ? ForKind::serial : form->kind);
  }
  // One by one: in v0.8 an extent may depend on the loops before it.
  const std::vector<SyntaxId> extents = exprs_.argument_syntax(iterable);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const NodeId extent = exprs_.expr(exprs_.lower(extents[i]));
    const NodeId zero = c_.make.int_imm(c_.make.dtype_of(extent), 0);
    add_loop(names[i], zero, extent, ForKind::serial, NodeId::none, {});
  }
}

void Statements::open_loop(std::string_view name, const Arguments& args, ForKind kind) {
  args.expect(1, 2);
  args.expect_keywords({"thread", "annotations"});
  const NodeId last = exprs_.expr(args[args.size() - 1]);
  const DType dtype = c_.make.dtype_of(last);
  NodeId min = NodeId::none;
  NodeId extent = last;
  if (args.size() == 2) {
    min = exprs_.expr_as(args[0], dtype);
    extent = c_.make.extent(min, last, c_.function());
  } else {
    min = c_.make.int_imm(dtype, 0);
  }
  NodeId thread = NodeId::none;
  if (kind == ForKind::thread_binding) {
    c_.lose(LossCode::thread_binding, "loops bound to threads");
    const NodeId var = c_.make.var("", c_.make.prim_type(dtype));
    const Value tag = args.get(2, "thread");
    thread = c_.builder.make(Kind::IterVar, {NodeId::none, var, IterVarType::ThreadIndex,
                                             c_.builder.string(exprs_.string(tag))});
  }
  const auto annotations = args.keyword("annotations");
  add_loop(name, min, extent, kind, thread,
           annotations ? exprs_.attribute_map(*annotations) : std::vector<NamedNode>());
}

void Statements::add_loop(std::string_view name, NodeId min, NodeId extent, ForKind kind,
                          NodeId thread, const std::vector<NamedNode>& annotations) {
  const NodeId var = scope_var(name, c_.make.prim_type(c_.make.dtype_of(extent)));
  frames_.add_scope(Kind::For, f::For::body,
                    {var, min, extent, kind, NodeId::none, thread, c_.builder.map(annotations)});
  loop_ranges_[index(var)] = {min, extent};
  bind(name, var);
}

}  // namespace mlf::tir::tvmscript
