// The statements of the legacy text, one function each. Blocks are in blocks.cpp.
#include <fmt/core.h>

#include <algorithm>

#include "tir/legacy/expressions.h"
#include "tir/legacy/forms.h"
#include "tir/legacy/statements.h"
#include "tir/tvm_features.h"

namespace mlf::tir::legacy {
namespace {

struct LoopWord {
  std::string_view word;
  ForKind kind;
};
constexpr LoopWord kLoopWords[] = {
#define MLF_IN_legacy(...) __VA_ARGS__
#define MLF_IN_both(...) __VA_ARGS__
#define MLF_IN_repr(...)
#define MLF_LOOP(dialects, name, kind) MLF_IN_##dialects({name, ForKind::kind}, )
#include "tir/text/printed_forms.def"
#undef MLF_IN_legacy
#undef MLF_IN_both
#undef MLF_IN_repr
};

/// A storage scope is raw text: `global.workspace`, `global.texture-weight`.
bool is_scope_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.' || c == '-' || c == ':';
}

/// Where a statement covers the next one, the printer puts braces around a SeqStmt alone; in front
/// of any other statement it writes `;`.
void check_covered_body(Context& c) {
  if (c.lexer.token().is(Sign::open_brace) || c.lexer.accept(Sign::semicolon)) return;
  c.lexer.fail(fmt::format(
      "expected ';' or '{{' in front of the statement that is covered, found {}", c.lexer.found()));
}

/// BufferStore, ProducerStore or Store, by what is in front of the bracket: all are printed alike.
/// TVM leaves out a predicate that is constant true.
NodeId make_store(Context& c, SyntaxId target, std::span<const Value> parts, NodeId value,
                  NodeId predicate) {
  Builder& builder = c.builder;
  const NodeId base = as_named(c, parts[0]);
  std::vector<NodeId> indices;
  for (const Value& index : parts.subspan(1)) indices.push_back(as_expr(c, index));
  const Kind kind = base == NodeId::none ? Kind::Opaque : builder.node(base).kind();
  if (indices.size() > 1) c.is_flat = false;
  if (kind == Kind::Buffer) {
    return builder.make(Kind::BufferStore, {base, value, builder.list(indices), predicate});
  }
  if (kind == Kind::Tensor) {
    return builder.make(Kind::ProducerStore, {base, value, builder.list(indices)});
  }
  if (kind != Kind::Var || indices.size() != 1) {
    c.exprs.fail(target, "expected an element of a buffer or of a variable in front of '='");
  }
  if (predicate == NodeId::none) {
    predicate = c.make.boolean(1);
    const DType index = c.make.dtype_of(indices[0]);
    if (!index.is_scalar()) {
      predicate = c.make.broadcast(predicate, c.make.int32(index.lanes));
    }
  }
  c.note_variable_access();
  return builder.make(Kind::Store, {base, value, indices[0], predicate});
}

// `X[i] = v if p`: where v is itself a load, the only predicate could be its own.
void read_store(Context& c, std::uint32_t begin, SyntaxId target, SyntaxId stored) {
  if (c.exprs.syntax(target).kind != SyntaxKind::subscript) {
    c.exprs.fail(target, "expected an element of a buffer in front of '='");
  }
  const std::vector<Value> parts = lower_subscript_parts(c, target);
  NodeId predicate = NodeId::none;
  SyntaxId value = stored;
  if (c.exprs.syntax(stored).kind == SyntaxKind::binary &&
      c.exprs.syntax(stored).sign == Sign::if_) {
    const std::vector<SyntaxId> sides = c.exprs.children(stored);
    if (c.exprs.syntax(sides[0]).kind == SyntaxKind::load_cast) {
      c.lose(LossCode::predicate);
    } else {
      value = sides[0];
      predicate = as_expr(c, sides[1]);
    }
  }
  complete(c, make_store(c, target, parts, as_expr(c, value), predicate), begin);
}

/// `annotations = {"k": v})`.
ListId read_annotations(Context& c) {
  if (!c.lexer.at_word("annotations")) {
    c.lexer.fail(fmt::format("expected 'annotations', found {}", c.lexer.found()));
  }
  c.lexer.advance();
  c.lexer.expect(Sign::assign, "behind annotations");
  const ListId entries = c.builder.map(read_entries(c, c.exprs.parse()));
  if (c.lexer.token().is(Sign::close_paren)) c.lexer.seek(c.lexer.token().end);
  return entries;
}

/// `realize(buffer, [begin:end], condition {…})`; producers have one comma more.
void open_realize(Context& c, std::uint32_t begin, Kind kind) {
  c.is_flat = false;
  c.lexer.advance();
  c.lexer.pass(Sign::open_paren, "behind realize");
  const SyntaxId what = c.exprs.parse();
  c.lexer.expect(Sign::comma, "behind what is realized");
  const SyntaxId bounds = c.exprs.parse();
  c.lexer.expect(Sign::comma, "behind the bounds of realize");
  const SyntaxId condition = c.exprs.parse();
  c.lexer.accept(Sign::comma);
  const NodeId realized = as_named(c, lower(c, what));
  const bool is_producer = kind == Kind::ProducerRealize;
  if (!c.builder.node(realized).is(is_producer ? Kind::Tensor : Kind::Buffer)) {
    c.exprs.fail(what, is_producer ? "expected a producer in producer_realize"
                                   : "expected a buffer in realize");
  }
  const ListId ranges = c.builder.list(as_ranges(c, lower(c, bounds)));
  if (is_producer) c.lose(LossCode::producer_scope);
  open_frame(c,
             {.open = Open::realize,
              .begin = begin,
              .draft = {.kind = kind, .nodes = {realized, as_expr(c, condition)}, .list = ranges}});
  open_body(c);
}

}  // namespace

/// The value was made with the expression: the variable is known by its annotation.
void open_let(Context& c, std::uint32_t begin, SyntaxId root) {
  const Value bound = lower(c, root - 1);
  open_statement(c, begin, {.kind = Kind::LetStmt, .nodes = {bound.node, bound.other}});
}

void read_assignment(Context& c, std::uint32_t begin, SyntaxId root) {
  const std::vector<SyntaxId> sides = c.exprs.children(root);
  const std::string_view function = c.exprs.head_of(sides[1]);
  const bool in_block = c.statements.top().open == Open::block;
  if (function == "decl_buffer") {
    const NodeId buffer = declare(c, root);
    if (buffer == NodeId::none)
      c.exprs.fail(root, "expected name = decl_buffer(data, dtype, shape)");
    open_statement(c, begin, {.kind = Kind::DeclBuffer, .nodes = {buffer}});
    c.lexer.skip_lines();
    return check_covered_body(c);
  }
  if (in_block && (function == "alloc_buffer" || function == "match_buffer")) {
    const NodeId buffer = declare(c, root);
    if (buffer == NodeId::none) c.exprs.fail(root, fmt::format("expected name = {}(…)", function));
    if (function == "alloc_buffer") return c.blocks.back().alloc_buffers.push_back(buffer);
    const NodeId source = read_region(c, c.exprs.children(sides[1])[1]);
    return c.blocks.back().match_buffers.push_back(
        c.builder.make(Kind::MatchBufferRegion, {buffer, source}));
  }
  read_store(c, begin, sides[0], sides[1]);
}

/// The printer leaves out the else branch of a condition that is constant true.
void open_if(Context& c, std::uint32_t begin) {
  c.lexer.advance();
  const NodeId condition = as_expr(c, c.exprs.parse());
  const Node node = c.builder.node(condition);
  if (node.is(Kind::IntImm) && node.integer(f::IntImm::value) != 0) {
    c.lose(LossCode::else_branch);
  }
  open_frame(c, {.open = Open::then_case,
                 .begin = begin,
                 .draft = {.kind = Kind::IfThenElse, .nodes = {condition}}});
  open_body(c);
}

/// `attr [node] "key" = value;`
void open_attr(Context& c, std::uint32_t begin, SyntaxId node) {
  const std::vector<Value> parts = lower_subscript_parts(c, node);
  if (parts.size() != 2) c.exprs.fail(node, "expected one node in the brackets of attr");
  const NodeId what = as_attribute(c, parts[1]);
  const std::string key = decode_string(c.strings, c.lexer.text(c.lexer.token()));
  c.lexer.advance();
  c.lexer.expect(Sign::assign, fmt::format("behind attr \"{}\"", key));
  const NodeId value = as_expr(c, c.exprs.parse());
  check_covered_body(c);
  open_statement(c, begin,
                 {.kind = Kind::AttrStmt, .nodes = {what, value}, .text = c.builder.string(key)});
}

/// `assert(condition, message)`, on a line of its own in front of what it covers.
void open_assert(Context& c, std::uint32_t begin, SyntaxId call) {
  const auto parts = c.exprs.arguments(call, 2, "assert(condition, message)");
  const NodeId condition = as_expr(c, parts[0]);
  open_statement(c, begin, {.kind = Kind::AssertStmt, .nodes = {condition, as_expr(c, parts[1])}});
}

/// `allocate(v: Pointer(float32), float32, [64]), storage_scope = global, annotations = {…}) if c`:
/// the scope is in the type too, and the last parenthesis has no opening one.
void open_allocate(Context& c, std::uint32_t begin, SyntaxId call) {
  const auto parts = c.exprs.arguments(call, 3, "allocate(variable, dtype, [extents])");
  text::StatementDraft draft{.kind = Kind::Allocate};
  draft.nodes[0] = as_var(c, lower(c, parts[0]));
  draft.dtype = as_dtype(c, lower(c, parts[1]));
  draft.list = c.builder.list(as_exprs(c, lower(c, parts[2])));
  c.lexer.expect(Sign::comma, "behind the extents of allocate");
  if (!c.lexer.at_word("storage_scope")) {
    c.lexer.fail(fmt::format("expected 'storage_scope', found {}", c.lexer.found()));
  }
  c.lexer.advance();
  if (!c.lexer.token().is(Sign::assign)) {
    c.lexer.fail(fmt::format("expected '=' behind storage_scope, found {}", c.lexer.found()));
  }
  // Raw text, maybe none at all.
  std::size_t end = c.lexer.token().end;
  const std::string_view text = c.source.text;
  if (end < text.size() && text[end] == ' ') ++end;
  while (end < text.size() && is_scope_char(text[end])) ++end;
  c.lexer.seek(end);
  if (c.lexer.accept(Sign::comma)) draft.annotations = read_annotations(c);
  draft.nodes[1] = c.make.boolean(1);
  if (c.lexer.accept(Sign::if_)) draft.nodes[1] = as_expr(c, c.exprs.parse());
  check_covered_body(c);
  open_statement(c, begin, draft);
}

/// `constant(v: Pointer(float32), float32, [64])`: the data is not printed.
void open_constant(Context& c, std::uint32_t begin, SyntaxId call) {
  const auto parts = c.exprs.arguments(call, 3, "constant(variable, dtype, [extents])");
  text::StatementDraft draft{.kind = Kind::AllocateConst};
  draft.nodes[0] = as_var(c, lower(c, parts[0]));
  draft.dtype = as_dtype(c, lower(c, parts[1]));
  const std::vector<NodeId> extents = as_exprs(c, lower(c, parts[2]));
  draft.list = c.builder.list(extents);
  // The text has nothing of it but its dtype and extents.
  const std::string_view name = c.builder.node(draft.nodes[0]).text(f::Var::name);
  draft.nodes[1] = c.lost_constants.find(name, draft.dtype, extents);
  c.lose(LossCode::constant_fields);
  check_covered_body(c);
  open_statement(c, begin, draft);
}

/// `for (v: int32, begin, end) "parallel" {`: the printer writes the end in place of the extent.
void open_loop(Context& c, std::uint32_t begin, SyntaxId call) {
  const auto parts = c.exprs.arguments(call, 3, "for (variable, begin, end)");
  text::StatementDraft draft{.kind = Kind::For};
  draft.nodes[0] = as_var(c, lower(c, parts[0]));
  draft.nodes[1] = as_expr(c, parts[1]);
  const NodeId end = as_expr(c, parts[2]);
  draft.nodes[2] = c.make.extent(draft.nodes[1], end, c.function());
  if (c.lexer.token().is(TokenKind::string)) {
    const std::string word = decode_string(c.strings, c.lexer.text(c.lexer.token()));
    const auto* const found = std::ranges::find(kLoopWords, word, &LoopWord::word);
    if (found == std::end(kLoopWords)) {
      c.lexer.fail(fmt::format("expected the kind of a loop, found {}", c.lexer.found()));
    }
    draft.for_kind = found->kind;
    c.lexer.advance();
  }
  c.lose(LossCode::loop_annotations);
  if (draft.for_kind == ForKind::thread_binding) c.lose(LossCode::thread_binding);
  open_statement(c, begin, draft);
  open_body(c);
}

/// `while (condition) {`
void open_while(Context& c, std::uint32_t begin, SyntaxId call) {
  const auto parts = c.exprs.arguments(call, 1, "while (condition)");
  open_statement(c, begin, {.kind = Kind::While, .nodes = {as_expr(c, parts[0])}});
  open_body(c);
}

/// `prefetch(buffer, [begin:end])`
void read_prefetch(Context& c, std::uint32_t begin, SyntaxId call) {
  const auto parts = c.exprs.arguments(call, 2, "prefetch(buffer, [begin:end])");
  const NodeId buffer = as_buffer(c, lower(c, parts[0]));
  const std::vector<NodeId> bounds = as_ranges(c, lower(c, parts[1]));
  complete(c, c.builder.make(Kind::Prefetch, {buffer, c.builder.list(bounds)}), begin);
}

void open_buffer_realize(Context& c, std::uint32_t begin) {
  open_realize(c, begin, Kind::BufferRealize);
}

void open_producer_realize(Context& c, std::uint32_t begin) {
  open_realize(c, begin, Kind::ProducerRealize);
}

bool read_word_statement(Context& c, std::uint32_t begin, SyntaxId root) {
  using Place = text::PrintedForm::Place;
  const std::string_view word = c.exprs.head_of(root);
  if (word.empty()) return false;
  const Form* form = forms().find(Place::statement, word);
  // A load of a buffer that is called `attr` has no key behind it.
  if (form == nullptr && c.lexer.token().is(TokenKind::string)) {
    form = forms().find(Place::keyword, word);
  }
  if (form == nullptr) return false;
  text::note_version(c, *form);
  form->open(c, begin, root);
  return true;
}

}  // namespace mlf::tir::legacy
