// The statements of the repr text, one function each. Blocks are in blocks.cpp.
#include <fmt/core.h>

#include <algorithm>

#include "tir/repr/statements.h"
#include "tir/tvm_features.h"

namespace mlf::tir::repr {
namespace {

using text::Sign;
using text::SyntaxId;
using text::SyntaxKind;

struct LoopWord {
  std::string_view word;
  ForKind kind;
};
constexpr LoopWord kLoopWords[] = {
    {"for", ForKind::serial},
    {"parallel", ForKind::parallel},
    {"vectorized", ForKind::vectorized},
    {"unrolled", ForKind::unrolled},
    {"launch_thread", ForKind::thread_binding},
};

// Their loads look like those of buffers, and neither dtype nor shape is printed.
constexpr std::string_view kProducers = "read as buffers";

}  // namespace

/// `let x = value`, which covers the rest of its block; the type of x is that of the value.
void StatementReader::let(std::uint32_t begin, SyntaxId root) {
  const SyntaxId assign = root - 1;
  if (exprs_.syntax(assign).kind != SyntaxKind::binary ||
      exprs_.syntax(assign).sign != Sign::assign) {
    exprs_.fail(root, "expected 'let name = value'");
  }
  const std::vector<SyntaxId> sides = exprs_.children(assign);
  const NodeId value = exprs_.expr(sides[1]);
  const std::string_view name = exprs_.text_of(sides[0]);
  const NodeId variable = context_.var(name);
  context_.definitions.values.emplace(index(variable), value);
  open({.open = Open::rest,
        .begin = begin,
        .draft = {.kind = Kind::LetStmt, .nodes = {variable, value}}});
  context_.names.define(name, variable);
}

void StatementReader::assignment(std::uint32_t begin, SyntaxId root) {
  const std::vector<SyntaxId> sides = exprs_.children(root);
  const bool in_block = statements_.top().open == Open::block;
  if (in_block && block_buffer(sides[0], sides[1])) return;
  // A store to a producer has no blank behind its sign.
  const std::uint32_t value = exprs_.syntax(root).name_end;
  if (context_.slice(value, value + 1) != " ") context_.lose(LossCode::producer, kProducers);
  store(begin, sides[0], sides[1]);
}

/// `A[i] = v`, or `A[i] = v if p`, which only a store through a pointer has.
void StatementReader::store(std::uint32_t begin, SyntaxId target, SyntaxId stored) {
  Builder& builder = context_.builder;
  const text::Syntax& what = exprs_.syntax(stored);
  const bool has_predicate = what.kind == SyntaxKind::binary && what.sign == Sign::if_;
  const std::vector<SyntaxId> parts = exprs_.children(stored);
  const Value element = exprs_.value(target);
  if (element.form != Value::Form::element) {
    exprs_.fail(target, "expected an element of a buffer in front of '='");
  }
  const NodeId value = exprs_.expr(has_predicate ? parts[0] : stored);
  const std::vector<NodeId> indices = exprs_.indices_of(element);
  if (!has_predicate) {
    const NodeId buffer = exprs_.buffer_of(element);
    return complete(
        builder.make(Kind::BufferStore, {buffer, value, builder.list(indices), NodeId::none}),
        begin);
  }
  if (indices.size() != 1) exprs_.fail(target, "expected one index of a store with a predicate");
  const NodeId pointer = exprs_.var(exprs_.value(element.subscripted));
  context_.versions.observe(TvmFeature::loads_and_stores);
  complete(builder.make(Kind::Store, {pointer, value, indices[0], exprs_.expr(parts[1])}), begin);
}

/// `// attr [node] key = value`.
void StatementReader::attr(std::uint32_t begin) {
  constexpr std::string_view kStart = "// attr [";
  if (!lexer_.rest().starts_with(kStart)) {
    lexer_.fail(fmt::format("expected '// attr [node] key = value', found {}", lexer_.found()));
  }
  // The node may define a variable, which the frame releases.
  text::StatementDraft& attr =
      open({.open = Open::rest, .begin = begin, .draft = {.kind = Kind::AttrStmt}}).draft;
  lexer_.seek(begin + kStart.size());
  const NodeId node = attr_values_.read();
  if (!token().is(Sign::close_bracket)) {
    lexer_.fail(
        fmt::format("expected ']' behind the node of an attribute, found {}", lexer_.found()));
  }
  const std::uint32_t line_end = lexer_.line_end();
  const std::uint32_t key_begin = std::min(token().end + 1, line_end);
  const std::string_view line = context_.slice(key_begin, line_end);
  const std::size_t equals = line.find(" = ");
  if (equals == std::string_view::npos) {
    lexer_.fail("expected ' key = value' behind the node of an attribute");
  }
  lexer_.seek(key_begin + equals + 3);
  attr.nodes = {node, exprs_.expr(exprs_.parse())};
  attr.text = context_.builder.string(line.substr(0, equals));
  end_of_line();
}

void StatementReader::assertion(std::uint32_t begin) {
  const auto parts = exprs_.arguments(exprs_.parse(), 2, "assert(condition, message)");
  const NodeId condition = exprs_.expr(parts[0]);
  open({.open = Open::rest,
        .begin = begin,
        .draft = {.kind = Kind::AssertStmt, .nodes = {condition, exprs_.expr(parts[1])}}});
  end_of_line();
}

/// `v[float32 * 16 * (n + 1)]`: between the brackets is one product.
StatementReader::Allocation StatementReader::allocation() {
  lexer_.advance();
  const SyntaxId root = exprs_.parse();
  const std::vector<SyntaxId> parts = exprs_.children(root);
  if (exprs_.syntax(root).kind != SyntaxKind::subscript || parts.size() != 2) {
    exprs_.fail(root, "expected variable[dtype * extents]");
  }
  std::vector<SyntaxId> factors;
  SyntaxId product = parts[1];
  while (exprs_.syntax(product).kind == SyntaxKind::binary &&
         exprs_.syntax(product).sign == Sign::star) {
    const std::vector<SyntaxId> sides = exprs_.children(product);
    factors.push_back(sides[1]);
    product = sides[0];
  }
  const auto dtype = parse_dtype(exprs_.text_of(product));
  if (!dtype) exprs_.fail(product, "expected the dtype of an allocation");
  Allocation result{.name = exprs_.text_of(parts[0]), .dtype = *dtype, .extents = {}};
  for (auto factor = factors.rbegin(); factor != factors.rend(); ++factor) {
    result.extents.push_back(exprs_.expr(*factor));
  }
  return result;
}

/// Raw text up to ` if ` or the end of the line, maybe none at all.
std::string_view StatementReader::scope_of_allocation() {
  lexer_.expect(Sign::comma, "behind the extents of allocate");
  constexpr std::string_view kStart = "storage_scope =";
  if (!lexer_.rest().starts_with(kStart)) {
    lexer_.fail(fmt::format("expected 'storage_scope', found {}", lexer_.found()));
  }
  const std::uint32_t begin = token().begin + static_cast<std::uint32_t>(kStart.size());
  std::string_view scope = context_.slice(begin, lexer_.line_end());
  scope = scope.substr(0, scope.find(" if "));
  lexer_.seek(begin + scope.size());
  while (!scope.empty() && (scope.back() == ' ' || scope.back() == '\r')) scope.remove_suffix(1);
  while (scope.starts_with(' ')) scope.remove_prefix(1);
  return scope;
}

void StatementReader::allocate(std::uint32_t begin) {
  const Allocation what = allocation();
  const std::string_view scope = scope_of_allocation();
  NodeId condition = context_.make.boolean(1);
  if (lexer_.accept(Sign::if_)) condition = exprs_.expr(exprs_.parse());
  context_.lose(LossCode::allocation_annotations, "allocations");
  open_allocation(begin, Kind::Allocate, what, scope, condition);
}

/// The text has nothing of a constant but its dtype and extents.
void StatementReader::constant(std::uint32_t begin) {
  const Allocation what = allocation();
  const NodeId data = context_.lost_constants.find(what.name, what.dtype, what.extents);
  context_.versions.observe(TvmFeature::allocate_const);
  context_.lose(LossCode::constant_fields, "irmod_storage_idx and annotations");
  open_allocation(begin, Kind::AllocateConst, what, "global", data);
}

/// Opens an Allocate or AllocateConst, whose `second` is the condition or the data.
void StatementReader::open_allocation(std::uint32_t begin, Kind kind, const Allocation& what,
                                      std::string_view scope, NodeId second) {
  const NodeId variable = context_.pointer(what.name, what.dtype, scope);
  context_.definitions.extents.emplace(index(variable), what.extents);
  open({.open = Open::rest,
        .begin = begin,
        .draft = {.kind = kind,
                  .nodes = {variable, second},
                  .list = context_.builder.list(what.extents),
                  .dtype = what.dtype}});
  context_.names.define(what.name, variable);
  end_of_line();
}

void StatementReader::declare(std::uint32_t begin) {
  lexer_.advance();
  const SyntaxId call = exprs_.parse();
  open({.open = Open::rest,
        .begin = begin,
        .draft = {.kind = Kind::DeclBuffer, .nodes = {exprs_.buffer(exprs_.value(call))}}});
  end_of_line();
}

/// `for (i, 0, 16) {`; thread bindings are `launch_thread`, without their thread.
void StatementReader::loop(std::uint32_t begin) {
  const std::string_view word = lexer_.text(token());
  const auto* const found = std::ranges::find(kLoopWords, word, &LoopWord::word);
  const auto parts = exprs_.arguments(exprs_.parse(), 3, "for (variable, first, extent)");
  const std::string_view name = exprs_.text_of(parts[0]);
  const NodeId first = exprs_.expr(parts[1]);
  const NodeId extent = exprs_.expr(parts[2]);
  const NodeId variable = context_.var(name);
  context_.definitions.domains.emplace(index(variable), std::pair(first, extent));
  open({.open = Open::braces,
        .begin = begin,
        .draft = {.kind = Kind::For, .nodes = {variable, first, extent}, .for_kind = found->kind}});
  context_.names.define(name, variable);
  context_.lose(LossCode::loop_annotations, "loop");
  if (found->kind == ForKind::thread_binding) context_.lose(LossCode::thread_binding, "loop");
  lexer_.pass(Sign::open_brace, "in front of a body");
}

void StatementReader::while_(std::uint32_t begin) {
  const auto parts = exprs_.arguments(exprs_.parse(), 1, "while(condition)");
  open({.open = Open::braces,
        .begin = begin,
        .draft = {.kind = Kind::While, .nodes = {exprs_.expr(parts[0])}}});
  lexer_.pass(Sign::open_brace, "in front of a body");
}

void StatementReader::if_(std::uint32_t begin) {
  lexer_.advance();
  const NodeId condition = exprs_.expr(exprs_.parse());
  open({.open = Open::then_case,
        .begin = begin,
        .draft = {.kind = Kind::IfThenElse, .nodes = {condition}}});
  lexer_.pass(Sign::open_brace, "in front of a body");
}

/// `([0, 16], [4, 4])`.
std::vector<NodeId> StatementReader::bounds(SyntaxId root) {
  const Value value = exprs_.value(root);
  const bool is_several = exprs_.syntax(root).kind == SyntaxKind::tuple;
  if (!is_several) return {exprs_.bounds(value)};
  std::vector<NodeId> ranges;
  for (const Value& part : exprs_.elements(value)) ranges.push_back(exprs_.bounds(part));
  return ranges;
}

/// `buffer_realize A([0, 16]) if c {`, or the same of a producer.
void StatementReader::realize(std::uint32_t begin) {
  if (lexer_.at_word("producer_realize")) context_.lose(LossCode::producer, kProducers);
  lexer_.advance();
  const std::string_view line = context_.slice(token().begin, lexer_.line_end());
  const std::size_t name_end = std::min(line.find("(["), line.find("()"));
  if (name_end == std::string_view::npos) {
    lexer_.fail(fmt::format("expected name([first, extent], …), found {}", lexer_.found()));
  }
  const std::string_view name = line.substr(0, name_end);
  lexer_.pass(name_end);
  const SyntaxId root = exprs_.parse();
  const bool has_condition = exprs_.syntax(root).sign == Sign::if_;
  const std::vector<SyntaxId> parts = exprs_.children(root);
  const std::vector<NodeId> ranges = bounds(has_condition ? parts[0] : root);
  const NodeId buffer = context_.buffers.accessed(name, ranges.size());
  const NodeId condition = has_condition ? exprs_.expr(parts[1]) : context_.make.boolean(1);
  open({.open = Open::braces,
        .begin = begin,
        .draft = {.kind = Kind::BufferRealize,
                  .nodes = {buffer, condition},
                  .list = context_.builder.list(ranges)}});
  lexer_.pass(Sign::open_brace, "in front of a body");
}

/// `prefetch buffer(A, 0x…)([0, 16])`; the next statement is on the same line.
void StatementReader::prefetch(std::uint32_t begin) {
  lexer_.advance();
  const SyntaxId root = exprs_.parse();
  std::vector<SyntaxId> parts = exprs_.children(root);
  if (exprs_.syntax(root).kind != SyntaxKind::call || parts.empty()) {
    exprs_.fail(root, "expected buffer(name, address)([first, extent], …)");
  }
  const NodeId buffer = exprs_.buffer(exprs_.value(parts[0]));
  std::vector<NodeId> ranges;
  for (const SyntaxId part : std::span(parts).subspan(1)) {
    ranges.push_back(exprs_.bounds(exprs_.value(part)));
  }
  complete(context_.builder.make(Kind::Prefetch, {buffer, context_.builder.list(ranges)}), begin);
}

}  // namespace mlf::tir::repr
