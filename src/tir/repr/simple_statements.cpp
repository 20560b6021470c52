// The statements of the repr text, one function each. Blocks are in blocks.cpp.
#include <fmt/core.h>

#include <algorithm>

#include "tir/repr/attributes.h"
#include "tir/repr/expressions.h"
#include "tir/repr/forms.h"
#include "tir/repr/statements.h"

namespace mlf::tir::repr {
namespace {

struct LoopWord {
  std::string_view word;
  ForKind kind;
};
constexpr LoopWord kLoopWords[] = {
#define MLF_IN_legacy(...)
#define MLF_IN_both(...) __VA_ARGS__
#define MLF_IN_repr(...) __VA_ARGS__
#define MLF_LOOP(dialects, name, kind) MLF_IN_##dialects({name, ForKind::kind}, )
#include "tir/text/printed_forms.def"
#undef MLF_IN_legacy
#undef MLF_IN_both
#undef MLF_IN_repr
};

struct Allocation {
  std::string_view name;
  DType dtype;
  std::vector<NodeId> extents;
};

/// `A[i] = v`, or `A[i] = v if p`, which only a store through a pointer has.
void read_store(Context& c, std::uint32_t begin, SyntaxId target, SyntaxId stored) {
  Builder& builder = c.builder;
  const text::Syntax& what = c.exprs.syntax(stored);
  const bool has_predicate = what.kind == SyntaxKind::binary && what.sign == Sign::if_;
  const std::vector<SyntaxId> parts = c.exprs.children(stored);
  const Value element = lower(c, target);
  if (element.form != Value::Form::element) {
    c.exprs.fail(target, "expected an element of a buffer in front of '='");
  }
  const NodeId value = as_expr(c, has_predicate ? parts[0] : stored);
  const std::vector<NodeId> indices = indices_of(c, element);
  if (!has_predicate) {
    const NodeId buffer = buffer_of(c, element);
    return complete(
        c, builder.make(Kind::BufferStore, {buffer, value, builder.list(indices), NodeId::none}),
        begin);
  }
  if (indices.size() != 1) c.exprs.fail(target, "expected one index of a store with a predicate");
  const NodeId pointer = as_var(c, lower(c, element.subscripted));
  c.versions.observe(TvmFeature::loads_and_stores);
  complete(c, builder.make(Kind::Store, {pointer, value, indices[0], as_expr(c, parts[1])}), begin);
}

/// `v[float32 * 16 * (n + 1)]`: between the brackets is one product.
Allocation read_allocation(Context& c) {
  c.lexer.advance();
  const SyntaxId root = c.exprs.parse();
  const std::vector<SyntaxId> parts = c.exprs.children(root);
  if (c.exprs.syntax(root).kind != SyntaxKind::subscript || parts.size() != 2) {
    c.exprs.fail(root, "expected variable[dtype * extents]");
  }
  std::vector<SyntaxId> factors;
  SyntaxId product = parts[1];
  while (c.exprs.syntax(product).kind == SyntaxKind::binary &&
         c.exprs.syntax(product).sign == Sign::star) {
    const std::vector<SyntaxId> sides = c.exprs.children(product);
    factors.push_back(sides[1]);
    product = sides[0];
  }
  const auto dtype = parse_dtype(c.exprs.text_of(product));
  if (!dtype) c.exprs.fail(product, "expected the dtype of an allocation");
  Allocation result{.name = c.exprs.text_of(parts[0]), .dtype = *dtype, .extents = {}};
  for (auto factor = factors.rbegin(); factor != factors.rend(); ++factor) {
    result.extents.push_back(as_expr(c, *factor));
  }
  return result;
}

/// Raw text up to ` if ` or the end of the line, maybe none at all.
std::string_view read_storage_scope(Context& c) {
  c.lexer.expect(Sign::comma, "behind the extents of allocate");
  constexpr std::string_view kStart = "storage_scope =";
  if (!c.lexer.rest().starts_with(kStart)) {
    c.lexer.fail(fmt::format("expected 'storage_scope', found {}", c.lexer.found()));
  }
  const std::uint32_t begin = c.lexer.token().begin + static_cast<std::uint32_t>(kStart.size());
  std::string_view scope = c.slice(begin, c.lexer.line_end());
  scope = scope.substr(0, scope.find(" if "));
  c.lexer.seek(begin + scope.size());
  while (!scope.empty() && (scope.back() == ' ' || scope.back() == '\r')) scope.remove_suffix(1);
  while (scope.starts_with(' ')) scope.remove_prefix(1);
  return scope;
}

/// Opens an Allocate or AllocateConst, whose `second` is the condition or the data.
void open_allocation(Context& c, std::uint32_t begin, Kind kind, const Allocation& what,
                     std::string_view scope, NodeId second) {
  const NodeId variable = c.pointer(what.name, what.dtype, scope);
  c.definitions.extents.emplace(index(variable), what.extents);
  open_rest(c, begin,
            {.kind = kind,
             .nodes = {variable, second},
             .list = c.builder.list(what.extents),
             .dtype = what.dtype});
  c.names.define(what.name, variable);
  expect_line_end(c);
}

/// `([0, 16], [4, 4])`.
std::vector<NodeId> read_bounds(Context& c, SyntaxId root) {
  const Value value = lower(c, root);
  const bool is_several = c.exprs.syntax(root).kind == SyntaxKind::tuple;
  if (!is_several) return {as_bounds(c, value)};
  std::vector<NodeId> ranges;
  for (const Value& part : c.exprs.elements(value)) ranges.push_back(as_bounds(c, part));
  return ranges;
}

}  // namespace

/// `let x = value`, which covers the rest of its block; the type of x is that of the value.
void open_let(Context& c, std::uint32_t begin, SyntaxId root) {
  const SyntaxId assign = root - 1;
  if (c.exprs.syntax(assign).kind != SyntaxKind::binary ||
      c.exprs.syntax(assign).sign != Sign::assign) {
    c.exprs.fail(root, "expected 'let name = value'");
  }
  const std::vector<SyntaxId> sides = c.exprs.children(assign);
  const NodeId value = as_expr(c, sides[1]);
  const std::string_view name = c.exprs.text_of(sides[0]);
  const NodeId variable = c.var(name);
  c.definitions.values.emplace(index(variable), value);
  open_rest(c, begin, {.kind = Kind::LetStmt, .nodes = {variable, value}});
  c.names.define(name, variable);
}

/// A definition in a block, a store to a buffer, or one to a producer.
void read_assignment(Context& c, std::uint32_t begin, SyntaxId root) {
  const std::vector<SyntaxId> sides = c.exprs.children(root);
  const bool in_block = c.statements.top().open == Open::block;
  const Form* const definition =
      in_block ? forms().find(text::PrintedForm::Place::definition, c.exprs.head_of(sides[1]))
               : nullptr;
  if (definition != nullptr) return definition->define(c, sides[0], sides[1]);
  // A store to a producer has no blank behind its sign.
  const std::uint32_t value = c.exprs.syntax(root).name_end;
  if (c.slice(value, value + 1) != " ") c.lose(LossCode::producer);
  read_store(c, begin, sides[0], sides[1]);
}

/// `// attr [node] key = value`.
void open_attr(Context& c, std::uint32_t begin) {
  constexpr std::string_view kStart = "// attr [";
  if (!c.lexer.rest().starts_with(kStart)) {
    c.lexer.fail(fmt::format("expected '// attr [node] key = value', found {}", c.lexer.found()));
  }
  // The node may define a variable, which the frame releases.
  text::StatementDraft& attr = open_rest(c, begin, {.kind = Kind::AttrStmt}).draft;
  c.lexer.seek(begin + kStart.size());
  const NodeId node = read_attribute(c);
  if (!c.lexer.token().is(Sign::close_bracket)) {
    c.lexer.fail(
        fmt::format("expected ']' behind the node of an attribute, found {}", c.lexer.found()));
  }
  const std::uint32_t line_end = c.lexer.line_end();
  const std::uint32_t key_begin = std::min(c.lexer.token().end + 1, line_end);
  const std::string_view line = c.slice(key_begin, line_end);
  const std::size_t equals = line.find(" = ");
  if (equals == std::string_view::npos) {
    c.lexer.fail("expected ' key = value' behind the node of an attribute");
  }
  c.lexer.seek(key_begin + equals + 3);
  attr.nodes = {node, as_expr(c, c.exprs.parse())};
  attr.text = c.builder.string(line.substr(0, equals));
  expect_line_end(c);
}

/// `if (condition) {`; what is behind an else begins with the brace that ends this.
void open_if(Context& c, std::uint32_t begin) {
  c.lexer.advance();
  const NodeId condition = as_expr(c, c.exprs.parse());
  open_braces(c, {.open = Open::then_case,
                  .begin = begin,
                  .draft = {.kind = Kind::IfThenElse, .nodes = {condition}}});
}

/// `for (i, 0, 16) {`; thread bindings are `launch_thread`, without their thread.
void open_loop(Context& c, std::uint32_t begin) {
  const std::string_view word = c.lexer.text(c.lexer.token());
  const auto* const found = std::ranges::find(kLoopWords, word, &LoopWord::word);
  const auto parts = c.exprs.arguments(c.exprs.parse(), 3, "for (variable, first, extent)");
  const std::string_view name = c.exprs.text_of(parts[0]);
  const NodeId first = as_expr(c, parts[1]);
  const NodeId extent = as_expr(c, parts[2]);
  const NodeId variable = c.var(name);
  c.definitions.domains.emplace(index(variable), std::pair(first, extent));
  open_braces(
      c,
      {.open = Open::braces,
       .begin = begin,
       .draft = {.kind = Kind::For, .nodes = {variable, first, extent}, .for_kind = found->kind}});
  c.names.define(name, variable);
  c.lose(LossCode::loop_annotations);
  if (found->kind == ForKind::thread_binding) c.lose(LossCode::thread_binding);
}

/// `while(condition) {`
void open_while(Context& c, std::uint32_t begin) {
  const auto parts = c.exprs.arguments(c.exprs.parse(), 1, "while(condition)");
  open_braces(c, {.open = Open::braces,
                  .begin = begin,
                  .draft = {.kind = Kind::While, .nodes = {as_expr(c, parts[0])}}});
}

/// `assert(condition, message)`, which covers the rest of its block.
void open_assert(Context& c, std::uint32_t begin) {
  const auto parts = c.exprs.arguments(c.exprs.parse(), 2, "assert(condition, message)");
  const NodeId condition = as_expr(c, parts[0]);
  open_rest(c, begin, {.kind = Kind::AssertStmt, .nodes = {condition, as_expr(c, parts[1])}});
  expect_line_end(c);
}

/// `allocate v[float32 * 64], storage_scope = global if c`; annotations are not printed.
void open_allocate(Context& c, std::uint32_t begin) {
  const Allocation what = read_allocation(c);
  const std::string_view scope = read_storage_scope(c);
  NodeId condition = c.make.boolean(1);
  if (c.lexer.accept(Sign::if_)) condition = as_expr(c, c.exprs.parse());
  c.lose(LossCode::allocation_annotations);
  open_allocation(c, begin, Kind::Allocate, what, scope, condition);
}

/// The text has nothing of a constant but its dtype and extents.
void open_constant(Context& c, std::uint32_t begin) {
  const Allocation what = read_allocation(c);
  const NodeId data = c.lost_constants.find(what.name, what.dtype, what.extents);
  c.versions.observe(TvmFeature::allocate_const);
  c.lose(LossCode::constant_fields);
  open_allocation(c, begin, Kind::AllocateConst, what, "global", data);
}

/// `decl_buffer buffer(B, 0x…)`: the buffer is known by its address from here on.
void open_decl_buffer(Context& c, std::uint32_t begin) {
  c.lexer.advance();
  const SyntaxId call = c.exprs.parse();
  open_rest(c, begin, {.kind = Kind::DeclBuffer, .nodes = {as_buffer(c, lower(c, call))}});
  expect_line_end(c);
}

/// `buffer_realize A([0, 16]) if c {`, or the same of a producer.
void open_realize(Context& c, std::uint32_t begin) {
  if (c.lexer.at_word("producer_realize")) c.lose(LossCode::producer);
  c.lexer.advance();
  const std::string_view line = c.slice(c.lexer.token().begin, c.lexer.line_end());
  const std::size_t name_end = std::min(line.find("(["), line.find("()"));
  if (name_end == std::string_view::npos) {
    c.lexer.fail(fmt::format("expected name([first, extent], …), found {}", c.lexer.found()));
  }
  const std::string_view name = line.substr(0, name_end);
  c.lexer.pass(name_end);
  const SyntaxId root = c.exprs.parse();
  const bool has_condition = c.exprs.syntax(root).sign == Sign::if_;
  const std::vector<SyntaxId> parts = c.exprs.children(root);
  const std::vector<NodeId> ranges = read_bounds(c, has_condition ? parts[0] : root);
  const NodeId buffer = c.buffers.accessed(name, ranges.size());
  const NodeId condition = has_condition ? as_expr(c, parts[1]) : c.make.boolean(1);
  open_braces(c, {.open = Open::braces,
                  .begin = begin,
                  .draft = {.kind = Kind::BufferRealize,
                            .nodes = {buffer, condition},
                            .list = c.builder.list(ranges)}});
}

/// `prefetch buffer(A, 0x…)([0, 16])`; the next statement is on the same line.
void read_prefetch(Context& c, std::uint32_t begin) {
  c.lexer.advance();
  const SyntaxId root = c.exprs.parse();
  std::vector<SyntaxId> parts = c.exprs.children(root);
  if (c.exprs.syntax(root).kind != SyntaxKind::call || parts.empty()) {
    c.exprs.fail(root, "expected buffer(name, address)([first, extent], …)");
  }
  const NodeId buffer = as_buffer(c, lower(c, parts[0]));
  std::vector<NodeId> ranges;
  for (const SyntaxId part : std::span(parts).subspan(1)) {
    ranges.push_back(as_bounds(c, lower(c, part)));
  }
  complete(c, c.builder.make(Kind::Prefetch, {buffer, c.builder.list(ranges)}), begin);
}

/// A word is a statement only with what the printer puts behind it.
bool read_word_statement(Context& c, std::uint32_t begin) {
  using Place = text::PrintedForm::Place;
  const text::Token word = c.lexer.token();
  const std::string_view behind = c.lexer.rest().substr(word.end - word.begin);
  const Form* form = nullptr;
  if (behind.starts_with('(') || behind.starts_with(" (")) {
    form = forms().find(Place::statement, c.lexer.text(word));
  }
  // A word without a blank behind it is a variable: `block[i] = …`.
  if (form == nullptr && behind.starts_with(' ')) {
    form = forms().find(Place::keyword, c.lexer.text(word));
  }
  if (form == nullptr) return false;
  form->start(c, begin);
  return true;
}

}  // namespace mlf::tir::repr
