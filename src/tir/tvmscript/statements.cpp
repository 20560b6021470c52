// Statements, line by line.
#include <fmt/core.h>

#include <set>

#include "support/error.h"
#include "tir/node_queries.h"
#include "tir/tvm_features.h"
#include "tir/tvmscript/function.h"

namespace mlf::tir::tvmscript {

// --- Loops -------------------------------------------------------------------------------------

namespace {

/// `name = T.int32()`
struct Declaration {
  std::uint32_t begin;
  std::string_view name;
  SyntaxId value;
};

/// The lines of a suite up to the first one that is not a declaration, from the colon above it on.
std::vector<Declaration> declarations_of_suite(Context& c) {
  std::vector<Declaration> lines;
  c.lexer.advance();
  c.lexer.skip_lines();
  while (c.lexer.token().is(TokenKind::name) && is_plain_name(c)) {
    const std::uint32_t begin = c.lexer.token().begin;
    const SyntaxId target = c.parser.parse();
    if (!c.lexer.accept(Sign::assign)) break;
    const SyntaxId value = c.parser.parse();
    if (!is_declaration(c, value)) break;
    lines.push_back({begin, target_name(c, target), value});
    c.lexer.skip_lines();
  }
  return lines;
}

/// Since v0.12, variables that a loop's bounds use first are declared below them, at the top of the
/// loop's suite. These lines are read first; when their turn comes, they have no effect.
void declare_ahead(Context& c, SyntaxId bounds) {
  std::set<std::string_view> wanted;
  add_unknown_names(c, bounds, wanted);
  if (wanted.empty() || !c.lexer.token().is(Sign::colon)) return;
  const std::uint32_t header_end = c.lexer.token().begin;
  const std::vector<Declaration> lines = declarations_of_suite(c);
  c.lexer.seek(header_end);
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    if (wanted.contains(line->name)) add_unknown_names(c, line->value, wanted);
  }
  const std::uint32_t header_begin = c.fn->line_begin;
  for (const Declaration& line : lines) {
    if (!wanted.contains(line.name)) continue;
    c.fn->line_begin = line.begin;
    bind(c, line.name,
         c.fn->declared_ahead[line.begin] = read_declaration(c, line.name, line.value));
  }
  c.fn->line_begin = header_begin;
}

/// Keeps the range: `T.axis.remap` states only the loop variable.
void add_loop(Context& c, std::string_view name, NodeId min, NodeId extent, ForKind kind,
              NodeId thread, const std::vector<NamedNode>& annotations) {
  const NodeId var = scope_var(c, name, c.make.prim_type(c.make.dtype_of(extent)));
  c.fn->frames.add_scope(
      Kind::For, {var, min, extent, kind, NodeId::none, thread, c.builder.map(annotations)});
  c.fn->loop_ranges[var] = {min, extent};
  bind(c, name, var);
}

/// `range(16)`, `T.serial(2, 16)`, `T.thread_binding(32, thread="threadIdx.x")`
void open_loop(Context& c, std::string_view name, const Arguments& args, ForKind kind) {
  args.expect(1, kind == ForKind::thread_binding ? 3 : 2, {"thread", "annotations"});
  // Users write the thread after the bounds.
  std::size_t bounds = args.size();
  auto thread_tag = args.keyword("thread");
  if (args[bounds - 1].kind == ValueKind::string && bounds > 1) thread_tag = args[--bounds];
  if (bounds > 2) args.fail("the third argument is the name of a thread");
  const NodeId last = as_expr(c, args[bounds - 1]);
  const DType dtype = c.make.dtype_of(last);
  NodeId min = NodeId::none;
  NodeId extent = last;
  if (bounds == 2) {
    min = as_expr_of(c, args[0], dtype);
    extent = c.make.extent(min, last, c.function());
  } else {
    min = c.make.int_imm(dtype, 0);
  }
  NodeId thread = NodeId::none;
  if (kind == ForKind::thread_binding) c.lose(LossCode::thread_binding);
  // It may not be printed, which the IR allows.
  if (kind == ForKind::thread_binding && thread_tag) {
    const NodeId var = c.make.var("", c.make.prim_type(dtype));
    thread = c.builder.make(Kind::IterVar, {NodeId::none, var, IterVarType::ThreadIndex,
                                            c.builder.string(as_string(c, *thread_tag))});
  }
  const auto annotations = args.keyword("annotations");
  add_loop(c, name, min, extent, kind, thread,
           annotations ? as_attribute_map(c, *annotations) : std::vector<NamedNode>());
}

/// `for i, j in T.grid(16, 16)` is two nested loops.
void open_loops(Context& c, const std::vector<std::string_view>& names, SyntaxId iterable) {
  const text::Syntax& syntax = c.values.syntax(iterable);
  const std::string_view callee = tir_callee(c, iterable);
  const bool is_range = syntax.kind == SyntaxKind::call && callee.empty() &&
                        c.slice(syntax.begin, syntax.name_begin) == "range";
  const ForKind* const kind = text::meaning_of(kLoops, callee);
  if (!is_range && callee != "grid" && kind == nullptr) {
    c.values.fail(iterable,
                  "expected range(), T.grid(), or one of T.serial, parallel, vectorized, unroll "
                  "and thread_binding");
  }
  const std::size_t expected = callee == "grid" ? syntax.arity - 1 : 1;
  if (names.size() != expected) {
    c.values.fail(iterable,
                  fmt::format("names of {} loop variables for {} loops", names.size(), expected));
  }
  open_frame(c, FrameKind::scoped, Reach::own_suite);
  declare_ahead(c, iterable);
  if (callee != "grid") {
    return open_loop(c, names.front(), arguments_of(c, iterable),
                     is_range ? ForKind::serial : *kind);
  }
  // One by one: in v0.8 an extent may depend on the loops before it.
  const std::vector<SyntaxId> extents = argument_syntax(c, iterable);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const NodeId extent = as_expr(c, lower(c, extents[i]));
    const NodeId zero = c.make.int_imm(c.make.dtype_of(extent), 0);
    add_loop(c, names[i], zero, extent, ForKind::serial, NodeId::none, {});
  }
}

/// Several names belong to T.grid.
void keyword_for(Context& c) {
  c.lexer.advance();
  std::vector<std::string_view> names;
  do {
    names.push_back(c.lexer.expect_name("a loop variable"));
  } while (c.lexer.accept(Sign::comma));
  c.lexer.expect_word("in", "after the loop variable");
  const SyntaxId iterable = c.parser.parse();
  open_loops(c, names, iterable);
  end_header(c);
}

// --- Lines that begin with a Python keyword ----------------------------------------------------

/// The condition is part of the statement; the body is a suite.
void keyword_while(Context& c) {
  c.lexer.advance();
  const NodeId condition = as_expr(c, read_value(c));
  open_frame(c, FrameKind::scoped, Reach::own_suite);
  c.fn->frames.add_scope(Kind::While, {condition, NodeId::none});
  end_header(c);
}

/// The old printer omits the else branch of a condition that is constant true.
void open_if(Context& c, std::uint32_t header_indent) {
  c.lexer.advance();
  const NodeId condition = as_expr(c, read_value(c));
  const bool is_true = int_imm_of(c.node(condition)).value_or(0) != 0;
  if (c.rules.is_old() && is_true) c.lose(LossCode::else_branch);
  open_frame(c, FrameKind::then_branch, Reach::own_suite);
  c.fn->frames.top().header_indent = header_indent;
  c.fn->frames.top().condition = condition;
  end_header(c);
}

void keyword_if(Context& c) {
  open_if(c, c.fn->frames.top().indent);
}

void keyword_stray_else(Context& c) {
  c.lexer.fail(fmt::format("{} without an if before it", c.lexer.found()));
}

/// Blocks and their init have special frames; all others are forms.
void with_item(Context& c) {
  const SyntaxId root = c.parser.parse();
  std::string_view name;
  if (c.lexer.at_word("as")) {
    c.lexer.advance();
    name = c.lexer.expect_name("a name after 'as'");
  }
  const std::string_view callee = tir_callee(c, root);
  if (callee == "block") return open_block(c, arguments_of(c, root));
  if (callee == "init") return open_init(c, arguments_of(c, root));
  const Form* const scope = find_form(Form::Construct::scope, Form::Prefix::tir, callee);
  if (scope == nullptr) c.values.fail(root, "this does not open a scope");
  open_scope(c, *scope, name, root, Reach::own_suite);
}

/// `with a, b:` opens one scope inside of the other.
void keyword_with(Context& c) {
  const std::uint32_t header_indent = c.fn->frames.top().indent;
  c.lexer.advance();
  with_item(c);
  while (c.lexer.accept(Sign::comma)) {
    // Only the last one contains lines; all of them end with it.
    c.fn->frames.top().indent = header_indent + 1;
    with_item(c);
    c.fn->frames.top().header_indent = header_indent;
  }
  end_header(c);
}

/// The assertion is around the rest of the suite.
void keyword_assert(Context& c) {
  c.lexer.advance();
  const NodeId condition = as_expr(c, read_value(c));
  c.lexer.expect(Sign::comma, "and a message");
  const NodeId message = as_expr(c, read_value(c));
  open_frame(c, FrameKind::scoped, Reach::rest_of_suite);
  add_assert(c, condition, message);
  end_line(c);
}

/// `return x` is a call of tir.ret since v0.16.
void keyword_return(Context& c) {
  c.lexer.advance();
  c.versions.observe(TvmFeature::return_statement);
  const NodeId value = as_expr(c, read_value(c));
  const NodeId call = c.make.call_inferred("tir.ret", {&value, 1}, c.function());
  add_statement(c, c.builder.make(Kind::Evaluate, {call}));
  end_line(c);
}

/// The empty body of a function or a loop.
void keyword_pass(Context& c) {
  c.lexer.advance();
  end_line(c);
}

/// The line is `else:` or `elif …:` and the innermost frame is its then branch.
void start_else(Context& c) {
  const std::uint32_t header_indent = c.fn->frames.top().header_indent;
  const bool is_elif = c.lexer.at_word("elif");
  c.fn->frames.start_else();
  if (is_elif) {
    // The else branch contains only the next `if`, whose lines are indented further.
    c.fn->frames.top().indent = header_indent + 1;
    return open_if(c, header_indent);
  }
  c.lexer.advance();
  end_header(c);
}

void keyword_nested(Context& c) {
  c.lexer.fail("a function or class inside a function is not TIR");
}

/// Python keywords at the beginning of lines, from TVM's printer or from users.
constexpr text::Meaning<void (*)(Context& c)> kKeywords[] = {
    {"for", keyword_for},         {"while", keyword_while},     {"if", keyword_if},
    {"else", keyword_stray_else}, {"elif", keyword_stray_else}, {"with", keyword_with},
    {"assert", keyword_assert},   {"return", keyword_return},   {"pass", keyword_pass},
    {"def", keyword_nested},      {"class", keyword_nested},
};

// --- All other lines ---------------------------------------------------------------------------

/// A variable for the rest of the suite.
NodeId read_let_line(Context& c, std::string_view name, NodeId type, NodeId value) {
  const NodeId var = scope_var(c, name, type);
  open_frame(c, FrameKind::scoped, Reach::rest_of_suite);
  c.fn->frames.add_scope(Kind::LetStmt, {var, value, NodeId::none});
  bind(c, name, var);
  return var;
}

/// `x: T.int32 = v`
void read_annotated(Context& c, SyntaxId target) {
  const std::string_view name = target_name(c, target);
  c.lexer.advance();
  const text::Token first = c.lexer.token();
  const NodeId type = as_type(c, read_value(c));
  const std::uint32_t type_end = c.lexer.token().begin;
  c.lexer.expect(Sign::assign, fmt::format("after the type of {}", name));
  const NodeId var = read_let_line(c, name, type, as_expr(c, read_value(c)));
  c.note_pointee(var, first.begin, type_end, "\"");
}

/// `name = …`: a declaration, a scope around the rest of the suite, or a let without a type.
void define(Context& c, SyntaxId target, SyntaxId value) {
  const std::string_view name = target_name(c, target);
  if (const auto known = c.fn->declared_ahead.find(c.fn->line_begin);
      known != c.fn->declared_ahead.end()) {
    return bind(c, name, known->second);
  }
  if (is_declaration(c, value)) return bind(c, name, read_declaration(c, name, value));
  const std::string_view callee = tir_callee(c, value);
  if (const Form* const scope = find_form(Form::Construct::scope, Form::Prefix::tir, callee)) {
    return open_scope(c, *scope, name, value, Reach::rest_of_suite);
  }
  // TVM combines two or more axes; users also write a single one.
  if (callee == "axis.remap") return define_remap(c, {target}, arguments_of(c, value));
  const NodeId node = as_expr(c, lower(c, value));
  const DType dtype = c.make.dtype_of(node);
  c.lose(LossCode::var_type);
  read_let_line(c, name, dtype.is_void() ? c.make.void_type() : c.make.prim_type(dtype), node);
}

/// `n, m = T.int32(), T.int32()` or `vi, vj = T.axis.remap("SS", [i, j])`. Since v0.12 the printer
/// combines consecutive declarations in one line.
void define_all(Context& c, const std::vector<SyntaxId>& names,
                const std::vector<SyntaxId>& values) {
  if (values.size() == 1 && tir_callee(c, values.front()) == "axis.remap") {
    return define_remap(c, names, arguments_of(c, values.front()));
  }
  // Each name has its own value: tuples are never unpacked.
  if (names.size() != values.size()) {
    const text::Syntax& first = c.values.syntax(names.front());
    support::fail_at(c.source, first.begin,
                     fmt::format("{} names for {} values", names.size(), values.size()));
  }
  for (std::size_t i = 0; i < names.size(); ++i) define(c, names[i], values[i]);
}

/// `A[i, j] = v`; an unbound name is a te.Tensor without a buffer.
void read_store(Context& c, SyntaxId target, SyntaxId value) {
  const Value access = lower(c, target);
  if (access.kind != ValueKind::access) fail_expected(c, access, "an element of a buffer");
  Builder& b = c.builder;
  const std::vector<NodeId> indices = as_indices(c, access);
  const Value stored = lower(c, value);
  if (access.node == NodeId::none) {
    const NodeId producer = as_producer(c, access);
    return add_statement(
        c, b.make(Kind::ProducerStore, {producer, as_expr(c, stored), b.list(indices)}));
  }
  add_store(c, access.node, indices, stored);
}

/// `A[i] += v`, `x *= v`
void read_augmented(Context& c, SyntaxId target) {
  const BinaryOperator& row = *operator_of_assignment(c.lexer.token().sign);
  c.lexer.advance();
  const SyntaxId operand = c.parser.parse();
  const Value before = lower(c, target);
  const NodeId result = make_binary(c, row.kind, before, lower(c, operand));
  if (before.kind == ValueKind::access && before.node != NodeId::none) {
    return add_store(c, before.node, as_indices(c, before),
                     {.kind = ValueKind::node, .syntax = target, .node = result});
  }
  const NodeId type = c.make.prim_type(c.make.dtype_of(result));
  const std::string_view name = target_name(c, target);
  const NodeId var = c.make.var(name, type);
  open_frame(c, FrameKind::scoped, Reach::rest_of_suite);
  c.fn->frames.add_scope(Kind::LetStmt, {var, result, NodeId::none});
  bind(c, name, var);
}

/// One target or several, each an element of a buffer or a name.
void read_assignment(Context& c, SyntaxId first_target) {
  std::vector<SyntaxId> targets{first_target};
  while (c.lexer.accept(Sign::comma)) targets.push_back(c.parser.parse());
  c.lexer.expect(Sign::assign);
  std::vector<SyntaxId> values{c.parser.parse()};
  while (c.lexer.accept(Sign::comma)) values.push_back(c.parser.parse());
  if (targets.size() > 1 || values.size() > 1) return define_all(c, targets, values);
  if (c.values.syntax(first_target).kind == SyntaxKind::subscript) {
    return read_store(c, first_target, values.front());
  }
  define(c, first_target, values.front());
}

/// `A.vstore([…], value, predicate=p)`
void read_predicated_store(Context& c, SyntaxId call) {
  const Arguments args = arguments_of(c, call);
  args.expect(2, 3, {"predicate"});
  c.versions.observe(TvmFeature::predicated_accesses);
  const std::string_view callee = args.callee();
  const std::string_view name = callee.substr(0, callee.rfind('.'));
  const NodeId buffer = c.names.find(name);
  if (buffer == NodeId::none || !c.node(buffer).is(Kind::Buffer)) {
    args.fail(fmt::format("'{}' is not a buffer", name));
  }
  const std::vector<NodeId> indices = as_exprs(c, args[0]);
  const NodeId value = as_expr(c, args[1]);
  const NodeId predicate = as_optional_expr(c, args.find(2, "predicate"));
  add_statement(
      c, c.builder.make(Kind::BufferStore, {buffer, value, c.builder.list(indices), predicate}));
}

/// A call of a form that is a line or a scope; evaluates any other expression, as the printer shows
/// calls since v0.11.
void read_expression_statement(Context& c, SyntaxId root) {
  const text::Syntax& syntax = c.values.syntax(root);
  if (syntax.kind == SyntaxKind::string) return;  // a doc string
  const std::string_view callee = tir_callee(c, root);
  if (const Form* const line = find_form(Form::Construct::line, Form::Prefix::tir, callee)) {
    return read_line(c, *line, arguments_of(c, root));
  }
  if (const Form* const scope = find_form(Form::Construct::scope, Form::Prefix::tir, callee)) {
    return open_scope(c, *scope, {}, root, Reach::rest_of_suite);
  }
  if (syntax.kind == SyntaxKind::call && callee.empty() &&
      c.slice(syntax.begin, syntax.name_begin).ends_with(".vstore")) {
    return read_predicated_store(c, root);
  }
  const NodeId value = as_expr(c, lower(c, root));
  add_statement(c, c.builder.make(Kind::Evaluate, {value}));
}

void read_simple_statement(Context& c) {
  const SyntaxId root = c.parser.parse();
  if (c.lexer.token().is(Sign::colon)) {
    read_annotated(c, root);
  } else if (c.lexer.token().is(Sign::assign) || c.lexer.token().is(Sign::comma)) {
    read_assignment(c, root);
  } else if (operator_of_assignment(c.lexer.token().sign) != nullptr) {
    read_augmented(c, root);
  } else {
    read_expression_statement(c, root);
  }
  end_line(c);
}

}  // namespace

/// Since v0.12 TVM's parser casts the value to the buffer's dtype. Before, a bare number is int32
/// or float32 for any buffer.
void add_store(Context& c, NodeId buffer, const std::vector<NodeId>& indices, const Value& value) {
  NodeId node = NodeId::none;
  if (!c.rules.is_old()) {
    c.check_lanes(buffer, indices, c.fn->line_begin, c.lexer.end_before());
    const DType dtype = c.make.loaded_dtype(buffer, indices);
    node = as_expr_of(c, value, dtype);
    const DType found = c.make.dtype_of(node);
    const bool is_number = found.is_int() || found.is_uint() || found.is_float();
    const bool is_castable = is_number && !dtype.is_handle() && found.lanes == dtype.lanes;
    if (is_castable && !c.is(node, Kind::Call)) node = make_cast(c, dtype, node);
  } else {
    node = as_expr(c, value);
  }
  add_statement(
      c, c.builder.make(Kind::BufferStore, {buffer, node, c.builder.list(indices), NodeId::none}));
}

/// Closes the frames that the indentation of the current line ends. An `else` line closes nothing:
/// it belongs to the then branch before it.
void align(Context& c) {
  const std::uint32_t indent = c.lexer.indentation();
  if (c.fn->expects_suite) {
    if (indent <= c.fn->frames.top().header_indent) {
      c.lexer.fail("expected an indented line");
    }
    c.fn->frames.top().indent = indent;
    c.fn->expects_suite = false;
    return;
  }
  if (indent > c.fn->frames.top().indent) c.lexer.fail("this line is indented too far");
  while (c.fn->frames.depth() > 1 && c.fn->frames.top().indent > indent) {
    const Frame& top = c.fn->frames.top();
    const bool takes_else = top.kind == FrameKind::then_branch && top.header_indent == indent &&
                            (c.lexer.at_word("else") || c.lexer.at_word("elif"));
    if (takes_else) return;
    c.fn->frames.close(c.fn->line_end);
  }
  if (c.fn->frames.top().indent != indent) {
    c.lexer.fail("the indentation of this line matches no line above it");
  }
}

/// Clears the values of the previous line: memory is limited to one line.
void read_statement(Context& c) {
  c.fn->line_begin = c.lexer.token().begin;
  c.values.clear();
  c.check_size();
  if (c.fn->frames.top().indent > c.lexer.indentation()) return start_else(c);
  if (c.lexer.token().is(TokenKind::name)) {
    const auto* const read = text::meaning_of(kKeywords, c.lexer.text(c.lexer.token()));
    if (read != nullptr && !is_plain_name(c)) return (*read)(c);
  }
  if (c.lexer.token().is(Sign::at)) return keyword_nested(c);
  read_simple_statement(c);
}

}  // namespace mlf::tir::tvmscript
