// Blocks of the repr text: `block name(iteration variables) {`, lines of their own, then the body.
#include <fmt/core.h>

#include "tir/repr/attributes.h"
#include "tir/repr/expressions.h"
#include "tir/repr/forms.h"
#include "tir/repr/statements.h"

namespace mlf::tir::repr {
namespace {

/// `[A[0:16, i], …]`; of a slice the end is printed.
std::vector<NodeId> read_regions(Context& c, SyntaxId list) {
  const Value value = lower(c, list);
  if (value.form != Value::Form::list) c.exprs.fail(list, "expected a list of regions");
  std::vector<NodeId> nodes;
  for (const Value& element : c.exprs.elements(value)) nodes.push_back(as_region(c, element));
  return nodes;
}

}  // namespace

/// `block name(iter_var(i, range(min=0, ext=16), ), …) {`
void open_block(Context& c, std::uint32_t begin) {
  constexpr std::string_view kStart = "block ";
  const std::string_view line = c.slice(begin, c.lexer.line_end());
  // Names may hold parentheses of their own.
  const std::size_t name_end = std::min(line.find("(iter_var("), line.find("() {"));
  if (name_end == std::string_view::npos || name_end < kStart.size()) {
    c.lexer.fail("expected 'block name(iter_var(…), …) {'");
  }
  open_frame(c, {.open = Open::block, .begin = begin});
  c.blocks.emplace_back();
  c.blocks.back().name = line.substr(kStart.size(), name_end - kStart.size());
  c.lexer.seek(begin + name_end);
  const SyntaxId root = c.exprs.parse();
  const Value value = lower(c, root);
  std::vector<NodeId>& iter_vars = c.blocks.back().iter_vars;
  if (c.exprs.syntax(root).kind != SyntaxKind::tuple) {
    iter_vars.push_back(as_iter_var(c, value, Binding::fresh));
  } else {
    for (const Value& part : c.exprs.elements(value)) {
      iter_vars.push_back(as_iter_var(c, part, Binding::fresh));
    }
  }
  c.lexer.pass(Sign::open_brace, "in front of a body");
}

void read_where(Context& c, std::uint32_t) {
  const SyntaxId call = c.exprs.parse();
  c.blocks.back().predicate = as_expr(c, c.exprs.arguments(call, 1, "where(predicate)")[0]);
}

/// `bind(v, value)`: the values come in the order of the iteration variables.
void read_bind(Context& c, std::uint32_t) {
  const SyntaxId call = c.exprs.parse();
  const auto parts = c.exprs.arguments(call, 2, "bind(variable, value)");
  const std::vector<NodeId>& iter_vars = c.blocks.back().iter_vars;
  std::vector<NodeId>& values = c.blocks.back().iter_values;
  if (values.size() >= iter_vars.size()) {
    c.exprs.fail(call, "more values are bound than the block has iteration variables");
  }
  values.push_back(as_expr(c, parts[1]));
}

void read_reads(Context& c, std::uint32_t) {
  const SyntaxId call = c.exprs.parse();
  c.blocks.back().reads = read_regions(c, c.exprs.arguments(call, 1, "reads([regions])")[0]);
}

void read_writes(Context& c, std::uint32_t) {
  const SyntaxId call = c.exprs.parse();
  c.blocks.back().writes = read_regions(c, c.exprs.arguments(call, 1, "writes([regions])")[0]);
}

/// `annotations({…})`: the values are not expressions, and so nothing that the grammar knows.
void read_block_attrs(Context& c, std::uint32_t) {
  c.lexer.seek(c.lexer.token().end + 1);
  c.blocks.back().annotations = read_attribute_map(c);
  c.lexer.pass(Sign::close_paren, "behind annotations");
  c.lose(LossCode::value_kind);
}

/// Lines come in front of the body; what is not one of them begins it.
bool read_block_line(Context& c) {
  constexpr std::string_view kInit = "with init()";
  const std::uint32_t begin = c.lexer.token().begin;
  if (c.lexer.rest().starts_with(kInit)) {
    c.lexer.seek(begin + kInit.size());
    open_braces(c, {.open = Open::init, .begin = begin});
    return true;
  }
  if (!c.lexer.token().is(TokenKind::name)) return false;
  const std::string_view word = c.lexer.text(c.lexer.token());
  const Form* const form = forms().find(text::PrintedForm::Place::line, word);
  if (form == nullptr || !c.lexer.rest().substr(word.size()).starts_with('(')) return false;
  form->start(c, begin);
  expect_line_end(c);
  return true;
}

/// `X = alloc_buffer(float32[16])`, the one place where a buffer has its dtype and its shape.
void define_alloc_buffer(Context& c, SyntaxId name, SyntaxId call) {
  const auto parts = c.exprs.arguments(call, 1, "alloc_buffer(dtype[shape])");
  const Value shaped = lower(c, parts[0]);
  const auto dtype = shaped.form == Value::Form::element
                         ? parse_dtype(c.exprs.text_of(shaped.subscripted))
                         : std::nullopt;
  if (!dtype) c.exprs.fail(parts[0], "expected the dtype and shape of a buffer");
  c.blocks.back().alloc_buffers.push_back(
      c.buffers.allocate(c.exprs.text_of(name), *dtype, indices_of(c, shaped)));
}

/// `X = match_buffer(A[0:16])`: neither dtype nor shape of the new buffer is printed.
void define_match_buffer(Context& c, SyntaxId name, SyntaxId call) {
  const auto parts = c.exprs.arguments(call, 1, "match_buffer(region)");
  const NodeId source = as_region(c, lower(c, parts[0]));
  const NodeId buffer = c.buffers.declare(c.exprs.text_of(name));
  c.blocks.back().match_buffers.push_back(
      c.builder.make(Kind::MatchBufferRegion, {buffer, source}));
}

/// The brace of the block ends here, unlike in legacy text.
NodeId finish_block(Context& c, NodeId body) {
  const text::BlockDraft block = std::move(c.blocks.back());
  c.blocks.pop_back();
  text::check_bindings(c.lexer, block);
  return text::make_block(c.make, block, body);
}

}  // namespace mlf::tir::repr
