// Statements of the legacy text. A stack contains the statements whose bodies are not complete.
#include <fmt/core.h>

#include "support/characters.h"
#include "tir/legacy/context.h"
#include "tir/node_queries.h"
#include "tir/reader.h"
#include "tir/tvm_features.h"

namespace mlf::tir::legacy {
namespace {

// --- Frames ------------------------------------------------------------------------------------

/// The reader is a loop, so only this limit restricts the depth of a text.
void open_frame(Context& c, Frame frame) {
  c.check_nesting(c.statements.depth(), "statements");
  c.statements.open(frame);
}

/// Opens a statement that covers the next one; `fields` has an undefined node for that.
void open_statement(Context& c, std::uint32_t begin, Kind kind,
                    std::initializer_list<FieldValue> fields) {
  open_frame(c, {.open = Open::statement, .begin = begin});
  c.statements.add_scope(kind, fields);
}

/// Opens the braces around a body at the lexer's token.
void open_body(Context& c) {
  const std::uint32_t begin = c.lexer.token().begin;
  c.lexer.pass(Sign::open_brace, "in front of a body");
  open_frame(c, {.open = Open::body, .begin = begin});
}

// --- Ends of statements ------------------------------------------------------------------------

NodeId take_statements(Context& c, const Frame& frame) {
  const auto statements = c.statements.body(frame);
  // If a body is a SeqStmt, the braces around the body belong to it. A SeqStmt inside these braces
  // is therefore the only statement of another SeqStmt.
  const bool is_sequence = frame.open == Open::sequence ||
                           (statements.size() == 1 && c.is(statements[0], Kind::SeqStmt));
  return is_sequence ? c.statements.take_sequence(frame) : c.statements.take_body(frame);
}

NodeId close_block(Context& c, NodeId body) {
  const text::BlockDraft draft = std::move(c.blocks.back());
  c.blocks.pop_back();
  if (draft.iter_values.size() != draft.iter_vars.size()) {
    c.lexer.fail(
        fmt::format("expected a line 'bind(variable, value)' for each of the {} "
                    "variables of block \"{}\", found {}",
                    draft.iter_vars.size(), draft.name, draft.iter_values.size()));
  }
  return c.make.block(draft, body);
}

/// The statement of a frame around its body.
NodeId finish(Context& c, const Frame& frame, NodeId body) {
  // The printer never closes a block's brace: its body is the one statement after the lines.
  if (frame.open == Open::block) return close_block(c, body);
  // The printer closes the parenthesis of `realize(` behind the body.
  if (frame.open == Open::realize && c.lexer.token().is(Sign::close_paren)) c.lexer.pass(1);
  if (frame.condition != NodeId::none) return c.statements.make_branches(frame, body);
  return c.statements.take_scopes(frame, body, c.lexer.token().begin);
}

/// Turns the frame of a then branch into that of its else branch, if there is one.
bool start_else(Context& c, NodeId then_case) {
  if (!c.lexer.at_word("else")) return false;
  c.lexer.advance();
  Frame frame = c.statements.close();
  frame.open = Open::statement;
  frame.then_case = then_case;
  open_frame(c, frame);
  open_body(c);
  return true;
}

/// One statement may end several others: the whole body of `let x: T = v` and similar statements is
/// the next statement, and the printer does not mark its end.
void complete(Context& c, NodeId statement, std::uint32_t begin) {
  for (;;) {
    c.builder.set_source_range(statement, {begin, c.lexer.token().begin});
    c.note_place(statement, begin, c.lexer.end_before());
    if (c.statements.empty()) {
      c.body = statement;
      return;
    }
    const Frame& top = c.statements.top();
    if (top.open == Open::body || top.open == Open::sequence || top.open == Open::fragment) {
      return c.statements.add(statement);
    }
    if (top.open == Open::then_case && start_else(c, statement)) return;
    const Frame frame = c.statements.close();
    if (frame.open == Open::init) {
      c.blocks.back().init = statement;
      return;
    }
    statement = finish(c, frame, statement);
    begin = frame.begin;
  }
}

// --- Blocks: an opening brace that is never closed, lines, one statement -----------------------

// For a data-parallel variable that counts from 0, the printer writes only the extent.
constexpr text::Meaning<IterVarType> kDomains[] = {{"tir.range", IterVarType::DataPar},
                                                   {"tir.reduce_axis", IterVarType::CommReduce},
                                                   {"tir.scan_axis", IterVarType::Ordered},
                                                   {"tir.opaque_axis", IterVarType::Opaque}};

/// The text prints a variable of a block with its type at the first mention of its name, and
/// without a type after that.
NodeId make_block_variable(Context& c, NodeId range, SyntaxId name, IterVarType type) {
  const NodeId variable = as_var(c, lower(c, name));
  return c.builder.make(Kind::IterVar, {range, variable, type, c.builder.string("")});
}

/// The domain is an extent, or `tir.range(begin, end)` or a similar form, which also states the
/// type of the variable.
NodeId read_block_variable(Context& c, SyntaxId name, SyntaxId domain) {
  const std::string_view function = head_of(c, domain);
  IterVarType type = IterVarType::DataPar;
  NodeId range = NodeId::none;
  if (const auto* const known = text::meaning_of(kDomains, function)) {
    const auto bounds = arguments_of(c, domain, 2, fmt::format("{}(begin, end)", function));
    const NodeId first = as_expr(c, bounds[0]);
    range = c.make.range(first, as_expr(c, bounds[1]), c.function());
    type = *known;
  } else {
    range = c.make.range_to(as_expr(c, domain));
  }
  if (!c.values.is(name, SyntaxKind::name)) return make_block_variable(c, range, name, type);
  const NodeId extent = c.node(range)[f::Range::extent].id();
  c.lose(LossCode::var_type);
  define_var(c, c.values.text(name), c.make.prim_type(c.make.dtype_of(extent)));
  return make_block_variable(c, range, name, type);
}

/// `tir.reads([A[0:16, i], …])`: each region is a subscript; a single index in it is a range of one
/// element.
template <std::vector<NodeId> text::BlockDraft::*Regions>
void read_regions(Context& c, SyntaxId call) {
  const auto list = arguments_of(c, call, 1, fmt::format("{}([regions])", head_of(c, call)));
  if (!c.values.is(list[0], SyntaxKind::list)) {
    c.values.fail(list[0], "expected a list of regions");
  }
  for (const SyntaxId region : c.values.children(list[0])) {
    (c.blocks.back().*Regions).push_back(read_region(c, region));
  }
}

// `block([128, tir.reduce_axis(0, 128)], "C") as [i, k] {`
void open_block(Context& c, std::uint32_t begin, SyntaxId call) {
  const auto parts = arguments_of(c, call, 2, "block([domains], \"name\")");
  c.is_flat = false;
  text::BlockDraft description;
  description.name = as_string(c, lower(c, parts[1]));
  if (!c.values.is(parts[0], SyntaxKind::list)) {
    c.values.fail(parts[0], "expected a list of domains");
  }
  const std::vector<SyntaxId> domains = c.values.children(parts[0]);
  std::vector<SyntaxId> names;
  if (c.lexer.at_word("as")) {
    c.lexer.advance();
    names = c.values.children(c.parser.parse());
  }
  if (names.size() != domains.size()) {
    c.values.fail(call, fmt::format("expected as many variables as domains, found {} and {}",
                                    names.size(), domains.size()));
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    description.iter_vars.push_back(read_block_variable(c, names[i], domains[i]));
  }
  c.lexer.pass(Sign::open_brace, "in front of the body of a block");
  open_frame(c, {.open = Open::block, .begin = begin});
  c.blocks.push_back(std::move(description));
}

/// TVM prints this line unless the predicate is constant true.
void read_where(Context& c, SyntaxId call) {
  c.blocks.back().predicate = as_expr(c, arguments_of(c, call, 1, "where(predicate)")[0]);
}

/// TVM prints one line for each variable, in their order, so the reader only checks the name.
void read_bind(Context& c, SyntaxId call) {
  const auto parts = arguments_of(c, call, 2, "bind(variable, value)");
  static_cast<void>(as_var(c, lower(c, parts[0])));
  c.blocks.back().iter_values.push_back(as_expr(c, parts[1]));
}

void read_block_attrs(Context& c, SyntaxId call) {
  c.blocks.back().annotations = read_entries(c, arguments_of(c, call, 1, "tir.attrs({…})")[0]);
}

constexpr text::Meaning<void (*)(Context& c, SyntaxId call)> kBlockLines[] = {
    {"where", read_where},
    {"bind", read_bind},
    {"tir.reads", read_regions<&text::BlockDraft::reads>},
    {"tir.writes", read_regions<&text::BlockDraft::writes>},
    {"tir.attrs", read_block_attrs},
};

/// Reads a line that describes the innermost block; false at the beginning of the body.
bool read_block_line(Context& c) {
  if (c.lexer.at_word("with")) {
    c.lexer.advance();
    if (head_of(c, c.parser.parse()) != "init") {
      c.lexer.fail_expected("'with init()'");
    }
    open_frame(c, {.open = Open::init, .begin = c.lexer.token().begin});
    open_body(c);
    return true;
  }
  const auto* const read = text::meaning_of(kBlockLines, c.lexer.text(c.lexer.token()));
  if (read == nullptr || !c.lexer.token().is(TokenKind::name)) return false;
  (*read)(c, c.parser.parse());
  return true;
}

// --- One function for each statement -----------------------------------------------------------

constexpr text::Meaning<ForKind> kLoopWords[] = {{"parallel", ForKind::parallel},
                                                 {"vectorized", ForKind::vectorized},
                                                 {"unroll", ForKind::unrolled},
                                                 {"thread_binding", ForKind::thread_binding}};

/// A storage scope is raw text: `global.workspace`, `global.texture-weight`.
bool is_scope_char(char c) {
  return support::is_word_character(c) || c == '.' || c == '-' || c == ':';
}

/// After a statement that covers the next one, the printer puts braces around a SeqStmt only;
/// before any other statement it writes `;`.
void check_covered_body(Context& c) {
  if (c.lexer.token().is(Sign::open_brace) || c.lexer.accept(Sign::semicolon)) return;
  c.lexer.fail_expected("';' or '{' in front of the statement that is covered");
}

/// BufferStore, ProducerStore or Store: all look alike, and the name before the bracket decides.
/// TVM omits a predicate that is constant true.
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
    c.values.fail(target, "expected an element of a buffer or of a variable in front of '='");
  }
  const NodeId always = note_variable_access(c, indices[0]);
  return builder.make(Kind::Store,
                      {base, value, indices[0], predicate == NodeId::none ? always : predicate});
}

// `X[i] = v if p`: if v is a load, p may be the predicate of the load.
void read_store(Context& c, std::uint32_t begin, SyntaxId target, SyntaxId stored) {
  if (!c.values.is(target, SyntaxKind::subscript)) {
    c.values.fail(target, "expected an element of a buffer in front of '='");
  }
  const std::vector<Value> parts = lower_subscript_parts(c, target);
  NodeId predicate = NodeId::none;
  SyntaxId value = stored;
  if (is_binary(c, stored, Sign::if_)) {
    const std::vector<SyntaxId> sides = c.values.children(stored);
    if (c.values.is(sides[0], SyntaxKind::load_cast)) {
      c.lose(LossCode::predicate);
    } else {
      value = sides[0];
      predicate = as_expr(c, sides[1]);
    }
  }
  complete(c, make_store(c, target, parts, as_expr(c, value), predicate), begin);
}

/// `annotations = {"k": v})`.
std::vector<NamedNode> read_annotations(Context& c) {
  c.lexer.expect_word("annotations");
  c.lexer.expect(Sign::assign, "behind annotations");
  std::vector<NamedNode> entries = read_entries(c, c.parser.parse());
  if (c.lexer.token().is(Sign::close_paren)) c.lexer.seek(c.lexer.token().end);
  return entries;
}

/// `realize(buffer, [begin:end], condition {…})`; producers have one more comma.
void open_realize(Context& c, std::uint32_t begin, Kind kind) {
  c.is_flat = false;
  c.lexer.advance();
  c.lexer.pass(Sign::open_paren, "behind realize");
  const SyntaxId what = c.parser.parse();
  c.lexer.expect(Sign::comma, "behind what is realized");
  const SyntaxId bounds = c.parser.parse();
  c.lexer.expect(Sign::comma, "behind the bounds of realize");
  const SyntaxId condition = c.parser.parse();
  c.lexer.accept(Sign::comma);
  const NodeId realized = as_named(c, lower(c, what));
  const bool is_producer = kind == Kind::ProducerRealize;
  if (!c.node(realized).is(is_producer ? Kind::Tensor : Kind::Buffer)) {
    c.values.fail(what, is_producer ? "expected a producer in producer_realize"
                                    : "expected a buffer in realize");
  }
  const ListId ranges = c.builder.list(as_ranges(c, lower(c, bounds)));
  if (is_producer) c.lose(LossCode::producer_scope);
  const NodeId when = as_expr(c, condition);
  open_frame(c, {.open = Open::realize, .begin = begin});
  if (is_producer) {
    c.statements.add_scope(kind, {realized, ranges, when, NodeId::none, StringId::none});
  } else {
    c.statements.add_scope(kind, {realized, ranges, when, NodeId::none});
  }
  open_body(c);
}

/// The expression already made the value, and its annotation defined the variable.
void open_let(Context& c, std::uint32_t begin, SyntaxId root) {
  const Value bound = lower(c, root - 1);
  open_statement(c, begin, Kind::LetStmt, {bound.node, c.values.item(bound, 0).node, NodeId::none});
}

void read_assignment(Context& c, std::uint32_t begin, SyntaxId root) {
  const std::vector<SyntaxId> sides = c.values.children(root);
  const std::string_view function = head_of(c, sides[1]);
  const bool in_block = c.statements.top().open == Open::block;
  if (function == "decl_buffer") {
    const NodeId buffer = declare(c, root);
    if (buffer == NodeId::none)
      c.values.fail(root, "expected name = decl_buffer(data, dtype, shape)");
    open_statement(c, begin, Kind::DeclBuffer, {buffer, NodeId::none});
    c.lexer.skip_lines();
    return check_covered_body(c);
  }
  if (in_block && (function == "alloc_buffer" || function == "match_buffer")) {
    const NodeId buffer = declare(c, root);
    if (buffer == NodeId::none) c.values.fail(root, fmt::format("expected name = {}(…)", function));
    if (function == "alloc_buffer") return c.blocks.back().alloc_buffers.push_back(buffer);
    const NodeId source = read_region(c, c.values.children(sides[1])[1]);
    return c.blocks.back().match_buffers.push_back(
        c.builder.make(Kind::MatchBufferRegion, {buffer, source}));
  }
  read_store(c, begin, sides[0], sides[1]);
}

/// The printer omits the else branch if the condition is constant true.
void open_if(Context& c, std::uint32_t begin) {
  c.lexer.advance();
  const NodeId condition = as_expr(c, c.parser.parse());
  if (int_imm_of(c.node(condition)).value_or(0) != 0) c.lose(LossCode::else_branch);
  open_frame(c, {.open = Open::then_case, .begin = begin, .condition = condition});
  open_body(c);
}

/// `attr [node] "key" = value;`
void open_attr(Context& c, std::uint32_t begin, SyntaxId node) {
  const std::vector<Value> parts = lower_subscript_parts(c, node);
  if (parts.size() != 2) c.values.fail(node, "expected one node in the brackets of attr");
  const NodeId what = as_attribute(c, parts[1]);
  const std::string key = decode_string(c.strings, c.lexer.text(c.lexer.token()));
  c.lexer.advance();
  c.lexer.expect(Sign::assign, fmt::format("behind attr \"{}\"", key));
  const NodeId value = as_expr(c, c.parser.parse());
  check_covered_body(c);
  open_statement(c, begin, Kind::AttrStmt, {what, c.builder.string(key), value, NodeId::none});
}

/// `assert(condition, message)`, on its own line before the statement that it covers.
void open_assert(Context& c, std::uint32_t begin, SyntaxId call) {
  const auto parts = arguments_of(c, call, 2, "assert(condition, message)");
  const NodeId condition = as_expr(c, parts[0]);
  open_statement(c, begin, Kind::AssertStmt, {condition, as_expr(c, parts[1]), NodeId::none});
}

/// `allocate(v: Pointer(float32), float32, [64]), storage_scope = global, annotations = {…}) if c`:
/// the type also states the scope, and the last parenthesis has no opening one.
void open_allocate(Context& c, std::uint32_t begin, SyntaxId call) {
  const auto parts = arguments_of(c, call, 3, "allocate(variable, dtype, [extents])");
  const NodeId var = as_var(c, lower(c, parts[0]));
  const DType dtype = as_dtype(c, lower(c, parts[1]));
  const ListId extents = c.builder.list(as_exprs(c, lower(c, parts[2])));
  // Before, an attribute stated the scope.
  if (c.lexer.token().is(Sign::open_brace)) {
    support::fail_at(c.source, begin, refusal_of_other_tvm("text of TVM 0.7 or before"));
  }
  c.lexer.expect(Sign::comma, "behind the extents of allocate");
  c.lexer.expect_word("storage_scope");
  if (!c.lexer.token().is(Sign::assign)) {
    c.lexer.fail_expected("'=' behind storage_scope");
  }
  // Raw text, which may be empty.
  std::size_t end = c.lexer.token().end;
  const std::string_view text = c.source.text;
  if (end < text.size() && text[end] == ' ') ++end;
  while (end < text.size() && is_scope_char(text[end])) ++end;
  c.lexer.seek(end);
  const std::vector<NamedNode> annotations =
      c.lexer.accept(Sign::comma) ? read_annotations(c) : std::vector<NamedNode>();
  NodeId condition = c.make.boolean(1);
  if (c.lexer.accept(Sign::if_)) condition = as_expr(c, c.parser.parse());
  check_covered_body(c);
  open_statement(c, begin, Kind::Allocate,
                 {var, dtype, extents, condition, NodeId::none, c.builder.map(annotations)});
}

/// `constant(v: Pointer(float32), float32, [64])`: the data is not printed.
void open_constant(Context& c, std::uint32_t begin, SyntaxId call) {
  const auto parts = arguments_of(c, call, 3, "constant(variable, dtype, [extents])");
  const NodeId var = as_var(c, lower(c, parts[0]));
  const DType dtype = as_dtype(c, lower(c, parts[1]));
  const Syntax& word = c.values.syntax(parts[1]);
  c.note_dtype(var, word.begin, word.end);
  const std::vector<NodeId> extents = as_exprs(c, lower(c, parts[2]));
  const ListId list = c.builder.list(extents);
  // The text contains only its dtype and extents.
  const std::string_view name = c.node(var).text(f::Var::name);
  const NodeId data = c.lost_constants.find(name, dtype, extents);
  c.versions.observe(TvmFeature::allocate_const);
  c.lose(LossCode::constant_fields);
  check_covered_body(c);
  open_statement(c, begin, Kind::AllocateConst,
                 {var, data, NodeId::none, dtype, list, NodeId::none, c.make.no_entries()});
}

/// `for (v: int32, begin, end) "parallel" {`: the printer writes the end in place of the extent.
void open_loop(Context& c, std::uint32_t begin, SyntaxId call) {
  const auto parts = arguments_of(c, call, 3, "for (variable, begin, end)");
  const NodeId var = as_var(c, lower(c, parts[0]));
  const NodeId min = as_expr(c, parts[1]);
  const NodeId extent = c.make.extent(min, as_expr(c, parts[2]), c.function());
  ForKind loop = ForKind::serial;
  if (c.lexer.token().is(TokenKind::string)) {
    const std::string word = decode_string(c.strings, c.lexer.text(c.lexer.token()));
    const ForKind* const kind = text::meaning_of(kLoopWords, word);
    if (kind == nullptr) {
      c.lexer.fail_expected("the kind of a loop");
    }
    loop = *kind;
    c.lexer.advance();
  }
  c.lose(LossCode::loop_annotations);
  if (loop == ForKind::thread_binding) c.lose(LossCode::thread_binding);
  open_statement(c, begin, Kind::For,
                 {var, min, extent, loop, NodeId::none, NodeId::none, c.make.no_entries()});
  open_body(c);
}

/// `while (condition) {`
void open_while(Context& c, std::uint32_t begin, SyntaxId call) {
  const auto parts = arguments_of(c, call, 1, "while (condition)");
  open_statement(c, begin, Kind::While, {as_expr(c, parts[0]), NodeId::none});
  open_body(c);
}

/// `prefetch(buffer, [begin:end])`
void read_prefetch(Context& c, std::uint32_t begin, SyntaxId call) {
  const auto parts = arguments_of(c, call, 2, "prefetch(buffer, [begin:end])");
  const NodeId buffer = as_buffer(c, lower(c, parts[0]));
  const std::vector<NodeId> bounds = as_ranges(c, lower(c, parts[1]));
  complete(c, c.builder.make(Kind::Prefetch, {buffer, c.builder.list(bounds)}), begin);
}

/// Statements that begin with `word (…)`.
constexpr text::Meaning<void (*)(Context& c, std::uint32_t begin, SyntaxId root)> kStatements[] = {
    {"for", open_loop},          {"while", open_while},       {"assert", open_assert},
    {"allocate", open_allocate}, {"constant", open_constant}, {"block", open_block},
    {"prefetch", read_prefetch},
};

/// Reads a statement that looks like a call or subscript of a word; false for other statements.
bool read_word_statement(Context& c, std::uint32_t begin, SyntaxId root) {
  const std::string_view word = head_of(c, root);
  // No key follows a load of a buffer called `attr`.
  if (word == "attr" && c.lexer.token().is(TokenKind::string))
    return open_attr(c, begin, root), true;
  const auto* const open = text::meaning_of(kStatements, word);
  if (open == nullptr) return false;
  (*open)(c, begin, root);
  return true;
}

// --- The loop ----------------------------------------------------------------------------------

/// Closes the braces at the lexer's token, or a fragment at the end of its text.
void close_brace(Context& c) {
  const Frame frame = c.statements.top();
  if (frame.open != Open::body && frame.open != Open::sequence && frame.open != Open::fragment) {
    c.lexer.fail_expected("a statement");
  }
  if (frame.open != Open::fragment) {
    c.lexer.seek(c.lexer.token().end);
  } else if (!c.lexer.token().is(TokenKind::end)) {
    c.lexer.fail("'}' closes nothing");
  }
  c.statements.close();
  complete(c, take_statements(c, frame), frame.begin);
}

/// Parses a statement as an expression first: for the grammar, `let` and `=` are operators, and the
/// words of statements are names.
void read_expression_statement(Context& c, std::uint32_t begin) {
  const SyntaxId root = c.parser.parse();
  const Syntax& node = c.values.syntax(root);
  if (node.kind == SyntaxKind::unary && node.sign == Sign::let &&
      c.values.syntax(root - 1).sign == Sign::assign) {
    return open_let(c, begin, root);
  }
  if (is_binary(c, root, Sign::assign)) return read_assignment(c, begin, root);
  if (read_word_statement(c, begin, root)) return;
  const NodeId value = as_expr(c, root);
  complete(c, c.builder.make(Kind::Evaluate, {value}), begin);
}

void read_statement(Context& c) {
  const Frame& top = c.statements.top();
  const std::uint32_t begin = c.lexer.token().begin;
  if (c.lexer.token().is(TokenKind::end)) {
    if (top.open == Open::fragment) return close_brace(c);
    c.lexer.fail_expected("'}' or a statement");
  }
  if (c.lexer.token().is(Sign::close_brace)) return close_brace(c);
  if (c.lexer.token().is(Sign::open_brace)) {
    c.lexer.seek(c.lexer.token().end);
    return open_frame(c, {.open = Open::sequence, .begin = begin});
  }
  if (c.lexer.token().is(Sign::if_)) return open_if(c, begin);
  if (c.lexer.at_word("realize")) return open_realize(c, begin, Kind::BufferRealize);
  if (c.lexer.at_word("producer_realize")) return open_realize(c, begin, Kind::ProducerRealize);
  if (top.open == Open::block && read_block_line(c)) return;
  read_expression_statement(c, begin);
}

/// Reads statements until the outermost frame is closed. The stack of frames contains the nesting,
/// so no text can overflow the program's own stack.
NodeId read_statements(Context& c) {
  while (!c.statements.empty()) {
    c.lexer.skip_lines();
    read_statement(c);
    c.values.clear();
    c.check_size();
  }
  return c.body;
}

}  // namespace

NodeId read_body(Context& c) {
  open_body(c);
  return read_statements(c);
}

NodeId read_fragment(Context& c) {
  open_frame(c, {.open = Open::fragment, .begin = c.lexer.token().begin});
  return read_statements(c);
}

}  // namespace mlf::tir::legacy
