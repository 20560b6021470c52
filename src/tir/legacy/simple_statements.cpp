// The statements of the legacy text, one function each. Blocks are in blocks.cpp.
#include <fmt/core.h>

#include <algorithm>

#include "tir/legacy/statements.h"
#include "tir/tvm_features.h"

namespace mlf::tir::legacy {
namespace {

using text::Sign;
using text::SyntaxId;
using text::SyntaxKind;
using text::TokenKind;

struct LoopWord {
  std::string_view word;
  ForKind kind;
};
constexpr LoopWord kLoopWords[] = {
    {"parallel", ForKind::parallel},
    {"vectorized", ForKind::vectorized},
    {"unroll", ForKind::unrolled},
    {"thread_binding", ForKind::thread_binding},
};

bool is_scope_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.' || c == '-' || c == ':';
}

}  // namespace

void StatementReader::let(std::uint32_t begin, SyntaxId root) {
  const Value bound = exprs_.value(root - 1);
  open({.open = Open::statement,
        .begin = begin,
        .draft = {.kind = Kind::LetStmt, .nodes = {bound.node, bound.other}}});
}

/// `A[i] = v`, or one of the declarations that look like it.
void StatementReader::assignment(std::uint32_t begin, SyntaxId root) {
  const std::vector<SyntaxId> sides = exprs_.children(root);
  const std::string_view function = exprs_.head_of(sides[1]);
  const bool in_block = statements_.top().open == Open::block;
  if (function == "decl_buffer") {
    const NodeId buffer = exprs_.declare(root);
    if (buffer == NodeId::none)
      exprs_.fail(root, "expected name = decl_buffer(data, dtype, shape)");
    open({.open = Open::statement,
          .begin = begin,
          .draft = {.kind = Kind::DeclBuffer, .nodes = {buffer}}});
    lexer_.skip_lines();
    return covered_body();
  }
  if (in_block && (function == "alloc_buffer" || function == "match_buffer")) {
    const NodeId buffer = exprs_.declare(root);
    if (buffer == NodeId::none) exprs_.fail(root, fmt::format("expected name = {}(…)", function));
    if (function == "alloc_buffer") return blocks_.back().alloc_buffers.push_back(buffer);
    const NodeId source = exprs_.region(exprs_.children(sides[1])[1]);
    return blocks_.back().match_buffers.push_back(
        context_.builder.make(Kind::MatchBufferRegion, {buffer, source}));
  }
  store(begin, sides[0], sides[1]);
}

// `X[i] = v if p`: where v is itself a load, the only predicate could be its own.
void StatementReader::store(std::uint32_t begin, SyntaxId target, SyntaxId stored) {
  if (exprs_.syntax(target).kind != SyntaxKind::subscript) {
    exprs_.fail(target, "expected an element of a buffer in front of '='");
  }
  const std::vector<Value> parts = exprs_.subscript_parts(target);
  NodeId predicate = NodeId::none;
  SyntaxId value = stored;
  if (exprs_.syntax(stored).kind == SyntaxKind::binary && exprs_.syntax(stored).sign == Sign::if_) {
    const std::vector<SyntaxId> sides = exprs_.children(stored);
    if (exprs_.syntax(sides[0]).kind == SyntaxKind::load_cast) {
      context_.lose(LossCode::predicate, "of a load or of the store of its value");
    } else {
      value = sides[0];
      predicate = exprs_.expr(sides[1]);
    }
  }
  complete(make_store(target, parts, exprs_.expr(value), predicate), begin);
}

/// BufferStore, ProducerStore or Store, by what is in front of the bracket: all are printed alike.
/// TVM leaves out a predicate that is constant true.
NodeId StatementReader::make_store(SyntaxId target, std::span<const Value> parts, NodeId value,
                                   NodeId predicate) {
  Builder& builder = context_.builder;
  const NodeId base = exprs_.named(parts[0]);
  std::vector<NodeId> indices;
  for (const Value& index : parts.subspan(1)) indices.push_back(exprs_.expr(index));
  const Kind kind = base == NodeId::none ? Kind::Opaque : builder.node(base).kind();
  if (indices.size() > 1) context_.is_flat = false;
  if (kind == Kind::Buffer) {
    return builder.make(Kind::BufferStore, {base, value, builder.list(indices), predicate});
  }
  if (kind == Kind::Tensor) {
    return builder.make(Kind::ProducerStore, {base, value, builder.list(indices)});
  }
  if (kind != Kind::Var || indices.size() != 1) {
    exprs_.fail(target, "expected an element of a buffer or of a variable in front of '='");
  }
  if (predicate == NodeId::none) {
    predicate = context_.make.boolean(1);
    const DType index = context_.make.dtype_of(indices[0]);
    if (!index.is_scalar()) {
      predicate = context_.make.broadcast(predicate, context_.make.int32(index.lanes));
    }
  }
  context_.note_variable_access();
  return builder.make(Kind::Store, {base, value, indices[0], predicate});
}

/// `attr [node] "key" = value;`
void StatementReader::attr(std::uint32_t begin, SyntaxId node) {
  const std::vector<Value> parts = exprs_.subscript_parts(node);
  if (parts.size() != 2) exprs_.fail(node, "expected one node in the brackets of attr");
  const NodeId what = exprs_.attr_value(parts[1]);
  const std::string key = decode_string(context_.strings, lexer_.text(token()));
  lexer_.advance();
  lexer_.expect(Sign::assign, fmt::format("behind attr \"{}\"", key));
  const NodeId value = exprs_.expr(exprs_.parse());
  covered_body();
  open({.open = Open::statement,
        .begin = begin,
        .draft = {
            .kind = Kind::AttrStmt, .nodes = {what, value}, .text = context_.builder.string(key)}});
}

void StatementReader::assertion(std::uint32_t begin, SyntaxId call) {
  const auto parts = exprs_.arguments(call, 2, "assert(condition, message)");
  const NodeId condition = exprs_.expr(parts[0]);
  open({.open = Open::statement,
        .begin = begin,
        .draft = {.kind = Kind::AssertStmt, .nodes = {condition, exprs_.expr(parts[1])}}});
}

// `allocate(v: Pointer(float32), float32, [64]), storage_scope = global, annotations = {…}) if c`:
// the scope is in the type too, and the last parenthesis has no opening one.
void StatementReader::allocate(std::uint32_t begin, SyntaxId call) {
  const auto parts = exprs_.arguments(call, 3, "allocate(variable, dtype, [extents])");
  text::StatementDraft draft{.kind = Kind::Allocate};
  draft.nodes[0] = exprs_.var(exprs_.value(parts[0]));
  draft.dtype = exprs_.dtype(exprs_.value(parts[1]));
  draft.list = context_.builder.list(exprs_.exprs(exprs_.value(parts[2])));
  lexer_.expect(Sign::comma, "behind the extents of allocate");
  if (!lexer_.at_word("storage_scope")) {
    lexer_.fail(fmt::format("expected 'storage_scope', found {}", lexer_.found()));
  }
  lexer_.advance();
  if (!token().is(Sign::assign)) {
    lexer_.fail(fmt::format("expected '=' behind storage_scope, found {}", lexer_.found()));
  }
  // Raw text, maybe none at all.
  std::size_t end = token().end;
  const std::string_view text = context_.source.text;
  if (end < text.size() && text[end] == ' ') ++end;
  while (end < text.size() && is_scope_char(text[end])) ++end;
  lexer_.seek(end);
  if (lexer_.accept(Sign::comma)) draft.annotations = annotations();
  draft.nodes[1] = context_.make.boolean(1);
  if (lexer_.accept(Sign::if_)) draft.nodes[1] = exprs_.expr(exprs_.parse());
  covered_body();
  open({.open = Open::statement, .begin = begin, .draft = draft});
}

/// `annotations = {"k": v})`.
ListId StatementReader::annotations() {
  if (!lexer_.at_word("annotations")) {
    lexer_.fail(fmt::format("expected 'annotations', found {}", lexer_.found()));
  }
  lexer_.advance();
  lexer_.expect(Sign::assign, "behind annotations");
  const ListId entries = context_.builder.map(exprs_.entries(exprs_.parse()));
  if (token().is(Sign::close_paren)) lexer_.seek(token().end);
  return entries;
}

/// `constant(v: Pointer(float32), float32, [64])`: the data is not printed.
void StatementReader::constant(std::uint32_t begin, SyntaxId call) {
  const auto parts = exprs_.arguments(call, 3, "constant(variable, dtype, [extents])");
  text::StatementDraft draft{.kind = Kind::AllocateConst};
  draft.nodes[0] = exprs_.var(exprs_.value(parts[0]));
  draft.dtype = exprs_.dtype(exprs_.value(parts[1]));
  const std::vector<NodeId> extents = exprs_.exprs(exprs_.value(parts[2]));
  draft.list = context_.builder.list(extents);
  // The text has nothing of it but its dtype and extents.
  const std::string_view name = context_.builder.node(draft.nodes[0]).text(f::Var::name);
  draft.nodes[1] = context_.lost_constants.find(name, draft.dtype, extents);
  context_.versions.observe(TvmFeature::allocate_const);
  context_.lose(LossCode::constant_fields, "irmod_storage_idx and annotations");
  covered_body();
  open({.open = Open::statement, .begin = begin, .draft = draft});
}

/// `for (v: int32, begin, end) "parallel" {`: the printer writes the end in place of the extent.
void StatementReader::loop(std::uint32_t begin, SyntaxId call) {
  const auto parts = exprs_.arguments(call, 3, "for (variable, begin, end)");
  text::StatementDraft draft{.kind = Kind::For};
  draft.nodes[0] = exprs_.var(exprs_.value(parts[0]));
  draft.nodes[1] = exprs_.expr(parts[1]);
  const NodeId end = exprs_.expr(parts[2]);
  draft.nodes[2] = context_.make.extent(draft.nodes[1], end, context_.function());
  if (token().is(TokenKind::string)) {
    const std::string word = decode_string(context_.strings, lexer_.text(token()));
    const auto* const found = std::ranges::find(kLoopWords, word, &LoopWord::word);
    if (found == std::end(kLoopWords)) {
      lexer_.fail(fmt::format("expected the kind of a loop, found {}", lexer_.found()));
    }
    draft.for_kind = found->kind;
    lexer_.advance();
  }
  context_.lose(LossCode::loop_annotations, "loop");
  if (draft.for_kind == ForKind::thread_binding) context_.lose(LossCode::thread_binding, "loop");
  open({.open = Open::statement, .begin = begin, .draft = draft});
  open_body(token().begin);
}

void StatementReader::while_(std::uint32_t begin, SyntaxId call) {
  const auto parts = exprs_.arguments(call, 1, "while (condition)");
  open({.open = Open::statement,
        .begin = begin,
        .draft = {.kind = Kind::While, .nodes = {exprs_.expr(parts[0])}}});
  open_body(token().begin);
}

void StatementReader::if_(std::uint32_t begin) {
  lexer_.advance();
  const NodeId condition = exprs_.expr(exprs_.parse());
  const Node node = context_.builder.node(condition);
  if (node.is(Kind::IntImm) && node.integer(f::IntImm::value) != 0) {
    context_.lose(LossCode::else_branch, "if True");
  }
  open({.open = Open::then_case,
        .begin = begin,
        .draft = {.kind = Kind::IfThenElse, .nodes = {condition}}});
  open_body(token().begin);
}

// `realize(buffer, [begin:end], condition {…})`; producers have one comma more.
void StatementReader::realize(std::uint32_t begin, Kind kind) {
  context_.is_flat = false;
  lexer_.advance();
  lexer_.pass(Sign::open_paren, "behind realize");
  const SyntaxId what = exprs_.parse();
  lexer_.expect(Sign::comma, "behind what is realized");
  const SyntaxId bounds = exprs_.parse();
  lexer_.expect(Sign::comma, "behind the bounds of realize");
  const SyntaxId condition = exprs_.parse();
  lexer_.accept(Sign::comma);
  const NodeId realized = exprs_.named(exprs_.value(what));
  const bool is_producer = kind == Kind::ProducerRealize;
  if (!context_.builder.node(realized).is(is_producer ? Kind::Tensor : Kind::Buffer)) {
    exprs_.fail(what, is_producer ? "expected a producer in producer_realize"
                                  : "expected a buffer in realize");
  }
  const ListId ranges = context_.builder.list(exprs_.ranges(exprs_.value(bounds)));
  if (is_producer) context_.lose(LossCode::producer_scope, "realize");
  open({.open = Open::realize,
        .begin = begin,
        .draft = {.kind = kind, .nodes = {realized, exprs_.expr(condition)}, .list = ranges}});
  open_body(token().begin);
}

void StatementReader::prefetch(std::uint32_t begin, SyntaxId call) {
  const auto parts = exprs_.arguments(call, 2, "prefetch(buffer, [begin:end])");
  const NodeId buffer = exprs_.buffer(exprs_.value(parts[0]));
  const std::vector<NodeId> bounds = exprs_.ranges(exprs_.value(parts[1]));
  complete(context_.builder.make(Kind::Prefetch, {buffer, context_.builder.list(bounds)}), begin);
}

}  // namespace mlf::tir::legacy
