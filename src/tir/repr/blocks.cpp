// Blocks of the repr text: `block name(iteration variables) {`, lines of their own, then the body.
#include <fmt/core.h>

#include "tir/repr/statements.h"

namespace mlf::tir::repr {

using text::Sign;
using text::SyntaxId;
using text::SyntaxKind;

void StatementReader::block(std::uint32_t begin) {
  constexpr std::string_view kStart = "block ";
  const std::string_view line = context_.slice(begin, lexer_.line_end());
  // Names may hold parentheses of their own.
  const std::size_t name_end = std::min(line.find("(iter_var("), line.find("() {"));
  if (name_end == std::string_view::npos || name_end < kStart.size()) {
    lexer_.fail("expected 'block name(iter_var(…), …) {'");
  }
  open({.open = Open::block, .begin = begin});
  blocks_.emplace_back();
  blocks_.back().name = line.substr(kStart.size(), name_end - kStart.size());
  lexer_.seek(begin + name_end);
  const SyntaxId root = exprs_.parse();
  const Value value = exprs_.value(root);
  std::vector<NodeId>& iter_vars = blocks_.back().iter_vars;
  if (exprs_.syntax(root).kind != SyntaxKind::tuple) {
    iter_vars.push_back(exprs_.iter_var(value, ExprReader::Binding::fresh));
  } else {
    for (const Value& part : exprs_.elements(value)) {
      iter_vars.push_back(exprs_.iter_var(part, ExprReader::Binding::fresh));
    }
  }
  lexer_.pass(Sign::open_brace, "in front of a body");
}

/// The lines between the head of a block and its body; false where the body begins.
bool StatementReader::block_line() {
  constexpr std::string_view kCalls[] = {"bind(", "where(", "reads(", "writes(", "annotations("};
  const std::uint32_t begin = token().begin;
  if (lexer_.rest().starts_with("with init()")) {
    lexer_.seek(begin + std::string_view("with init()").size());
    open({.open = Open::init, .begin = begin});
    lexer_.pass(Sign::open_brace, "in front of a body");
    return true;
  }
  if (lexer_.rest().starts_with("annotations(")) {
    lexer_.seek(begin + std::string_view("annotations(").size());
    blocks_.back().annotations = attr_values_.entries();
    lexer_.pass(Sign::close_paren, "behind annotations");
    context_.lose(LossCode::value_kind, "attributes");
    return true;
  }
  for (const std::string_view start : kCalls) {
    if (!lexer_.rest().starts_with(start)) continue;
    block_call(exprs_.parse());
    end_of_line();
    return true;
  }
  return false;
}

void StatementReader::block_call(SyntaxId call) {
  const std::string_view word = exprs_.head_of(call);
  text::BlockDraft& block = blocks_.back();
  if (word == "bind") {
    bind(call);
  } else if (word == "where") {
    block.predicate = exprs_.expr(exprs_.arguments(call, 1, "where(predicate)")[0]);
  } else if (word == "reads") {
    block.reads = regions(exprs_.arguments(call, 1, "reads([regions])")[0]);
  } else {
    block.writes = regions(exprs_.arguments(call, 1, "writes([regions])")[0]);
  }
}

/// `bind(v, value)`: the values come in the order of the iteration variables.
void StatementReader::bind(SyntaxId call) {
  const auto parts = exprs_.arguments(call, 2, "bind(variable, value)");
  const std::vector<NodeId>& iter_vars = blocks_.back().iter_vars;
  std::vector<NodeId>& values = blocks_.back().iter_values;
  if (values.size() >= iter_vars.size()) {
    exprs_.fail(call, "more values are bound than the block has iteration variables");
  }
  values.push_back(exprs_.expr(parts[1]));
}

std::vector<NodeId> StatementReader::regions(SyntaxId list) {
  const Value value = exprs_.value(list);
  if (value.form != Value::Form::list) exprs_.fail(list, "expected a list of regions");
  std::vector<NodeId> nodes;
  for (const Value& element : exprs_.elements(value)) nodes.push_back(exprs_.region(element));
  return nodes;
}

/// `X = alloc_buffer(float32[16])` or `X = match_buffer(A[0:16])`; false for anything else.
bool StatementReader::block_buffer(SyntaxId name, SyntaxId call) {
  const std::string_view word = exprs_.head_of(call);
  if (word == "match_buffer") {
    const auto parts = exprs_.arguments(call, 1, "match_buffer(region)");
    const NodeId source = exprs_.region(exprs_.value(parts[0]));
    const NodeId buffer = context_.buffers.declare(exprs_.text_of(name));
    blocks_.back().match_buffers.push_back(
        context_.builder.make(Kind::MatchBufferRegion, {buffer, source}));
    return true;
  }
  if (word != "alloc_buffer") return false;
  const auto parts = exprs_.arguments(call, 1, "alloc_buffer(dtype[shape])");
  const Value shaped = exprs_.value(parts[0]);
  const auto dtype = shaped.form == Value::Form::element
                         ? parse_dtype(exprs_.text_of(shaped.subscripted))
                         : std::nullopt;
  if (!dtype) exprs_.fail(parts[0], "expected the dtype and shape of a buffer");
  blocks_.back().alloc_buffers.push_back(
      context_.buffers.allocate(exprs_.text_of(name), *dtype, exprs_.indices_of(shaped)));
  return true;
}

NodeId StatementReader::finish_block(NodeId body) {
  const text::BlockDraft block = std::move(blocks_.back());
  blocks_.pop_back();
  text::check_bindings(lexer_, block);
  return text::make_block(context_.make, block, body);
}

}  // namespace mlf::tir::repr
