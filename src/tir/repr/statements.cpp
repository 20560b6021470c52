// Statements of the repr text, on a stack of open statements. The text does not show where lets,
// attributes, assertions, allocations and declarations end: each one covers the rest of its block.

#include <algorithm>

#include "tir/repr/expressions.h"

namespace mlf::tir::repr {
namespace {

// --- Frames ------------------------------------------------------------------------------------

/// Opens a frame. Names that are defined after this end with the frame.
Frame& open_frame(Context& c, Frame frame) {
  c.check_nesting(c.lexer, c.statements.depth(), "statements");
  frame.names = c.names.mark();
  return c.statements.open(frame);
}

/// Opens a statement that covers the rest of its block.
Frame& open_rest(Context& c, std::uint32_t begin, const text::StatementDraft& draft) {
  return open_frame(c, {.open = Open::rest, .begin = begin, .draft = draft});
}

/// Opens a statement with a body in braces at the lexer's token.
void open_braces(Context& c, Frame frame) {
  open_frame(c, std::move(frame));
  c.lexer.pass(Sign::open_brace, "in front of a body");
}

/// Collects the statements of a block until its closing brace.
void complete(Context& c, NodeId statement, std::uint32_t begin) {
  c.builder.set_source_range(statement, {begin, c.lexer.token().begin});
  c.statements.add(statement);
}

/// Fails if the line continues.
void expect_line_end(Context& c) {
  const bool is_end = c.lexer.token().is(TokenKind::newline) ||
                      c.lexer.token().is(TokenKind::end) || c.lexer.token().is(Sign::close_brace);
  if (!is_end) {
    c.lexer.fail_expected("the end of the statement");
  }
}

// --- Blocks: `block name(iteration variables) {`, lines of their own, then the body ------------

/// `[A[0:16, i], …]`; the printer writes the end of a slice.
std::vector<NodeId> read_regions(Context& c, SyntaxId list) {
  const ParsedValue value = lower(c, list);
  if (value.form != ParsedValue::Form::list) c.exprs.fail(list, "expected a list of regions");
  std::vector<NodeId> nodes;
  for (const ParsedValue& element : c.exprs.elements(value)) nodes.push_back(as_region(c, element));
  return nodes;
}

/// `block name(iter_var(i, range(min=0, ext=16), ), …) {`
void open_block(Context& c, std::uint32_t begin) {
  constexpr std::string_view kStart = "block ";
  const std::string_view line = c.slice(begin, c.lexer.line_end());
  // Names may contain parentheses.
  const std::size_t name_end = std::min(line.find("(iter_var("), line.find("() {"));
  if (name_end == std::string_view::npos || name_end < kStart.size()) {
    c.lexer.fail("expected 'block name(iter_var(…), …) {'");
  }
  open_frame(c, {.open = Open::block, .begin = begin});
  c.blocks.emplace_back();
  c.blocks.back().name = line.substr(kStart.size(), name_end - kStart.size());
  c.lexer.seek(begin + name_end);
  const SyntaxId root = c.exprs.parse();
  const ParsedValue value = lower(c, root);
  std::vector<NodeId>& iter_vars = c.blocks.back().iter_vars;
  if (c.exprs.syntax(root).kind != SyntaxKind::tuple) {
    iter_vars.push_back(as_iter_var(c, value, Binding::fresh));
  } else {
    for (const ParsedValue& part : c.exprs.elements(value)) {
      iter_vars.push_back(as_iter_var(c, part, Binding::fresh));
    }
  }
  c.lexer.pass(Sign::open_brace, "in front of a body");
}

void read_where(Context& c) {
  const SyntaxId call = c.exprs.parse();
  c.blocks.back().predicate = as_expr(c, c.exprs.arguments(call, 1, "where(predicate)")[0]);
}

/// `bind(v, value)`: the values come in the order of the iteration variables.
void read_bind(Context& c) {
  const SyntaxId call = c.exprs.parse();
  const auto parts = c.exprs.arguments(call, 2, "bind(variable, value)");
  const std::vector<NodeId>& iter_vars = c.blocks.back().iter_vars;
  std::vector<NodeId>& values = c.blocks.back().iter_values;
  if (values.size() >= iter_vars.size()) {
    c.exprs.fail(call, "more values are bound than the block has iteration variables");
  }
  values.push_back(as_expr(c, parts[1]));
}

void read_reads(Context& c) {
  const SyntaxId call = c.exprs.parse();
  c.blocks.back().reads = read_regions(c, c.exprs.arguments(call, 1, "reads([regions])")[0]);
}

void read_writes(Context& c) {
  const SyntaxId call = c.exprs.parse();
  c.blocks.back().writes = read_regions(c, c.exprs.arguments(call, 1, "writes([regions])")[0]);
}

/// `annotations({…})`: the values are not expressions, so the grammar does not describe them.
void read_block_attrs(Context& c) {
  c.lexer.seek(c.lexer.token().end + 1);
  c.blocks.back().annotations = read_attribute_map(c);
  c.lexer.pass(Sign::close_paren, "behind annotations");
  c.lose(LossCode::value_kind);
}

constexpr text::Meaning<void (*)(Context& c)> kBlockLines[] = {{"where", read_where},
                                                               {"bind", read_bind},
                                                               {"reads", read_reads},
                                                               {"writes", read_writes},
                                                               {"annotations", read_block_attrs}};

/// These lines precede the body; any other line begins it.
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
  const auto* const read = text::meaning_of(kBlockLines, word);
  if (read == nullptr || !c.lexer.rest().substr(word.size()).starts_with('(')) return false;
  (*read)(c);
  expect_line_end(c);
  return true;
}

/// `X = alloc_buffer(float32[16])`, the only place that states dtype and shape of a buffer.
void define_alloc_buffer(Context& c, SyntaxId name, SyntaxId call) {
  const auto parts = c.exprs.arguments(call, 1, "alloc_buffer(dtype[shape])");
  const ParsedValue shaped = lower(c, parts[0]);
  const auto dtype = shaped.form == ParsedValue::Form::element
                         ? parse_dtype(c.exprs.text_of(shaped.subscripted))
                         : std::nullopt;
  if (!dtype) c.exprs.fail(parts[0], "expected the dtype and shape of a buffer");
  c.blocks.back().alloc_buffers.push_back(
      c.buffers.allocate(c.exprs.text_of(name), *dtype, as_exprs(c, shaped)));
}

/// `X = match_buffer(A[0:16])`: the text states neither dtype nor shape of the new buffer.
void define_match_buffer(Context& c, SyntaxId name, SyntaxId call) {
  const auto parts = c.exprs.arguments(call, 1, "match_buffer(region)");
  const NodeId source = as_region(c, lower(c, parts[0]));
  const NodeId buffer = c.buffers.declare(c.exprs.text_of(name));
  c.blocks.back().match_buffers.push_back(
      c.builder.make(Kind::MatchBufferRegion, {buffer, source}));
}

// --- One function for each statement -----------------------------------------------------------

constexpr text::Meaning<ForKind> kLoopWords[] = {{"for", ForKind::serial},
                                                 {"parallel", ForKind::parallel},
                                                 {"vectorized", ForKind::vectorized},
                                                 {"unrolled", ForKind::unrolled},
                                                 {"launch_thread", ForKind::thread_binding}};

struct Allocation {
  std::string_view name;
  DType dtype;
  std::vector<NodeId> extents;
};

/// `A[i] = v`, or for a store through a pointer `A[i] = v if p`.
void read_store(Context& c, std::uint32_t begin, SyntaxId target, SyntaxId stored) {
  Builder& builder = c.builder;
  const text::Syntax& what = c.exprs.syntax(stored);
  const bool has_predicate = what.kind == SyntaxKind::binary && what.sign == Sign::if_;
  const std::vector<SyntaxId> parts = c.exprs.children(stored);
  const ParsedValue element = lower(c, target);
  if (element.form != ParsedValue::Form::element) {
    c.exprs.fail(target, "expected an element of a buffer in front of '='");
  }
  const NodeId value = as_expr(c, has_predicate ? parts[0] : stored);
  const std::vector<NodeId> indices = as_exprs(c, element);
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

/// `v[float32 * 16 * (n + 1)]`: the text between the brackets is one product.
Allocation read_allocation(Context& c) {
  c.lexer.advance();
  const SyntaxId root = c.exprs.parse();
  const std::vector<SyntaxId> parts = c.exprs.children(root);
  if (c.exprs.syntax(root).kind != SyntaxKind::subscript || parts.size() != 2) {
    c.exprs.fail(root, "expected variable[dtype * extents]");
  }
  std::vector<SyntaxId> factors;
  SyntaxId product = parts[1];
  while (c.exprs.is_binary(product, Sign::star)) {
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

/// Raw text up to ` if ` or the end of the line; may be empty.
std::string_view read_storage_scope(Context& c) {
  c.lexer.expect(Sign::comma, "behind the extents of allocate");
  constexpr std::string_view kStart = "storage_scope =";
  if (!c.lexer.rest().starts_with(kStart)) {
    c.lexer.fail_expected("'storage_scope'");
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
  c.names.bind(what.name, variable);
  expect_line_end(c);
}

/// `([0, 16], [4, 4])`.
std::vector<NodeId> read_bounds(Context& c, SyntaxId root) {
  const ParsedValue value = lower(c, root);
  const bool is_several = c.exprs.syntax(root).kind == SyntaxKind::tuple;
  if (!is_several) return {as_bounds(c, value)};
  std::vector<NodeId> ranges;
  for (const ParsedValue& part : c.exprs.elements(value)) ranges.push_back(as_bounds(c, part));
  return ranges;
}

/// `let x = value`, which covers the rest of its block; the type of x is that of the value.
void open_let(Context& c, std::uint32_t begin, SyntaxId root) {
  const SyntaxId assign = root - 1;
  if (!c.exprs.is_binary(assign, Sign::assign)) {
    c.exprs.fail(root, "expected 'let name = value'");
  }
  const std::vector<SyntaxId> sides = c.exprs.children(assign);
  const NodeId value = as_expr(c, sides[1]);
  const std::string_view name = c.exprs.text_of(sides[0]);
  const NodeId variable = c.var(name);
  c.definitions.values.emplace(index(variable), value);
  open_rest(c, begin, {.kind = Kind::LetStmt, .nodes = {variable, value}});
  c.names.bind(name, variable);
}

/// A definition in a block, a store to a buffer, or a store to a producer.
void read_assignment(Context& c, std::uint32_t begin, SyntaxId root) {
  const std::vector<SyntaxId> sides = c.exprs.children(root);
  const bool in_block = c.statements.top().open == Open::block;
  const std::string_view function = in_block ? c.exprs.head_of(sides[1]) : std::string_view();
  if (function == "alloc_buffer") return define_alloc_buffer(c, sides[0], sides[1]);
  if (function == "match_buffer") return define_match_buffer(c, sides[0], sides[1]);
  // A store to a producer has no blank after its sign.
  const std::uint32_t value = c.exprs.syntax(root).name_end;
  if (c.slice(value, value + 1) != " ") c.lose(LossCode::producer);
  read_store(c, begin, sides[0], sides[1]);
}

/// `// attr [node] key = value`.
void open_attr(Context& c, std::uint32_t begin) {
  constexpr std::string_view kStart = "// attr [";
  if (!c.lexer.rest().starts_with(kStart)) {
    c.lexer.fail_expected("'// attr [node] key = value'");
  }
  // The node may define a variable, which the frame releases.
  text::StatementDraft& attr = open_rest(c, begin, {.kind = Kind::AttrStmt}).draft;
  c.lexer.seek(begin + kStart.size());
  const NodeId node = read_attribute(c);
  if (!c.lexer.token().is(Sign::close_bracket)) {
    c.lexer.fail_expected("']' behind the node of an attribute");
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

/// `if (condition) {`; an else branch begins at the brace that ends this one.
void open_if(Context& c, std::uint32_t begin) {
  c.lexer.advance();
  const NodeId condition = as_expr(c, c.exprs.parse());
  open_braces(c, {.open = Open::then_case,
                  .begin = begin,
                  .draft = {.kind = Kind::IfThenElse, .nodes = {condition}}});
}

/// `for (i, 0, 16) {`; a thread binding prints as `launch_thread`, without its thread.
void open_loop(Context& c, std::uint32_t begin) {
  const std::string_view word = c.lexer.text(c.lexer.token());
  const ForKind kind = *text::meaning_of(kLoopWords, word);
  const auto parts = c.exprs.arguments(c.exprs.parse(), 3, "for (variable, first, extent)");
  const std::string_view name = c.exprs.text_of(parts[0]);
  const NodeId first = as_expr(c, parts[1]);
  const NodeId extent = as_expr(c, parts[2]);
  const NodeId variable = c.var(name);
  c.definitions.domains.emplace(index(variable), std::pair(first, extent));
  open_braces(c,
              {.open = Open::braces,
               .begin = begin,
               .draft = {.kind = Kind::For, .nodes = {variable, first, extent}, .for_kind = kind}});
  c.names.bind(name, variable);
  c.lose(LossCode::loop_annotations);
  if (kind == ForKind::thread_binding) c.lose(LossCode::thread_binding);
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

/// The text contains only the dtype and extents of a constant.
void open_constant(Context& c, std::uint32_t begin) {
  const Allocation what = read_allocation(c);
  const NodeId data = c.lost_constants.find(what.name, what.dtype, what.extents);
  c.versions.observe(TvmFeature::allocate_const);
  c.lose(LossCode::constant_fields);
  open_allocation(c, begin, Kind::AllocateConst, what, "global", data);
}

/// `decl_buffer buffer(B, 0x…)`: later mentions refer to the buffer by its address.
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
    c.lexer.fail_expected("name([first, extent], …)");
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

// `word (…)`
constexpr text::Meaning<void (*)(Context& c, std::uint32_t begin)> kCallStatements[] = {
    {"for", open_loop},      {"parallel", open_loop},      {"vectorized", open_loop},
    {"unrolled", open_loop}, {"launch_thread", open_loop}, {"while", open_while},
    {"assert", open_assert},
};
// `word …`
constexpr text::Meaning<void (*)(Context& c, std::uint32_t begin)> kWordStatements[] = {
    {"allocate", open_allocate},        {"constant", open_constant},
    {"decl_buffer", open_decl_buffer},  {"block", open_block},
    {"prefetch", read_prefetch},        {"buffer_realize", open_realize},
    {"producer_realize", open_realize},
};

/// Reads a statement that begins with its own word; false for other statements. A word begins a
/// statement only if the text that the printer puts after it follows.
bool read_word_statement(Context& c, std::uint32_t begin) {
  const std::string_view word = c.lexer.text(c.lexer.token());
  const std::string_view behind = c.lexer.rest().substr(word.size());
  const bool is_call = behind.starts_with('(') || behind.starts_with(" (");
  const auto* open = is_call ? text::meaning_of(kCallStatements, word) : nullptr;
  // A word without a blank after it is a variable: `block[i] = …`.
  if (open == nullptr && behind.starts_with(' ')) open = text::meaning_of(kWordStatements, word);
  if (open != nullptr) (*open)(c, begin);
  return open != nullptr;
}

// --- Ends of statements ------------------------------------------------------------------------

/// In a chain of `else if`, the brace of the last branch also ends every `if` before it.
void close_else_ifs(Context& c) {
  while (c.statements.top().open == Open::else_if) {
    const Frame frame = c.statements.close();
    const NodeId body = c.statements.take_body(frame);
    complete(c, text::make_statement(c.builder, frame.draft, body), frame.begin);
  }
}

/// `} else {` or `} else if (c) {`.
bool start_else(Context& c, const Frame& frame, NodeId then_case) {
  if (!c.lexer.at_word("else")) return false;
  c.lexer.advance();
  Frame branch = frame;
  branch.draft.nodes[1] = then_case;
  const bool is_chained = c.lexer.token().is(Sign::if_);
  branch.open = is_chained ? Open::else_if : Open::braces;
  open_frame(c, branch);
  if (is_chained) {
    open_if(c, c.lexer.token().begin);
  } else {
    c.lexer.pass(Sign::open_brace, "in front of a body");
  }
  return true;
}

/// Ends the statements that cover the rest of the block, and the statement of the brace.
void close_brace(Context& c) {
  c.lexer.seek(c.lexer.token().end);
  for (;;) {
    const Frame frame = c.statements.close();
    const NodeId body = c.statements.take_body(frame);
    c.names.release(frame.names);
    if (frame.open == Open::then_case && start_else(c, frame, body)) return;
    if (frame.open == Open::init) {
      c.blocks.back().init = body;
      return;
    }
    if (frame.open == Open::function) {
      c.body = body;
      return;
    }
    complete(c,
             frame.open == Open::block ? text::close_block(c.make, c.lexer, c.blocks, body)
                                       : text::make_statement(c.builder, frame.draft, body),
             frame.begin);
    if (frame.open != Open::rest) break;
  }
  close_else_ifs(c);
}

// --- The loop ----------------------------------------------------------------------------------

/// Reads lets and stores; any other expression is an Evaluate.
void read_expression_statement(Context& c, std::uint32_t begin) {
  const SyntaxId root = c.exprs.parse();
  const text::Syntax& node = c.exprs.syntax(root);
  if (node.kind == SyntaxKind::unary && node.sign == Sign::let) {
    open_let(c, begin, root);
  } else if (node.kind == SyntaxKind::binary && node.sign == Sign::assign) {
    read_assignment(c, begin, root);
  } else {
    complete(c, c.builder.make(Kind::Evaluate, {as_expr(c, root)}), begin);
  }
  expect_line_end(c);
}

/// The first token determines the kind of a statement, except for lets and assignments.
void read_statement(Context& c) {
  const std::uint32_t begin = c.lexer.token().begin;
  if (c.lexer.token().is(TokenKind::end)) {
    c.lexer.fail_expected("'}' or a statement");
  }
  if (c.lexer.token().is(Sign::close_brace)) return close_brace(c);
  if (c.lexer.token().is(Sign::if_)) return open_if(c, begin);
  if (c.lexer.token().is(Sign::double_slash)) return open_attr(c, begin);
  if (c.lexer.token().is(TokenKind::name) && read_word_statement(c, begin)) return;
  if (c.statements.top().open == Open::block && read_block_line(c)) return;
  read_expression_statement(c, begin);
}

}  // namespace

/// Reads statements up to the closing brace of the function. A stack of frames contains the open
/// statements.
NodeId read_body(Context& c) {
  open_frame(c, {.open = Open::function, .begin = c.lexer.token().begin});
  c.lexer.pass(Sign::open_brace, "in front of a body");
  while (!c.statements.empty()) {
    c.lexer.skip_lines();
    read_statement(c);
    c.exprs.clear();
    c.check_size(c.lexer);
  }
  return c.body;
}

}  // namespace mlf::tir::repr
