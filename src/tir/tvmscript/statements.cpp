#include "tir/tvmscript/statements.h"

#include <fmt/core.h>

#include "support/error.h"

#include "tir/tvm_features.h"

namespace mlf::tir::tvmscript {

using text::Sign;
using text::SyntaxId;
using text::SyntaxKind;
using text::TokenKind;

// --- Lines -------------------------------------------------------------------------------------

/// Closes what the indentation of the line at hand ends.
void Statements::align() {
  const std::uint32_t indent = lexer_.indentation();
  if (expects_suite_) {
    if (indent <= frames_.top().header_indent) {
      lexer_.fail(lexer_.token(), "expected an indented line");
    }
    frames_.top().indent = indent;
    expects_suite_ = false;
    return;
  }
  if (indent > frames_.top().indent) lexer_.fail(lexer_.token(), "this line is indented too far");
  while (frames_.depth() > 1 && frames_.top().indent > indent) {
    const Frame& top = frames_.top();
    const bool takes_else = top.kind == FrameKind::then_branch && top.header_indent == indent &&
                            (at_word("else") || at_word("elif"));
    if (takes_else) return;
    frames_.close(line_end_);
  }
  if (frames_.top().indent != indent) {
    lexer_.fail(lexer_.token(), "the indentation of this line matches no line above it");
  }
}

void Statements::statement() {
  begin_ = lexer_.token().begin;
  exprs_.clear();
  if (c_.builder.size() > c_.limits.max_nodes) {
    lexer_.fail(lexer_.token(), fmt::format("more than {} nodes", c_.limits.max_nodes));
  }
  if (frames_.top().indent > lexer_.indentation()) return start_else();
  if (lexer_.token().is(TokenKind::name)) {
    const auto keyword = keywords().find(lexer_.text(lexer_.token()));
    if (keyword != keywords().end() && !is_plain_name()) return (this->*keyword->second)();
  }
  if (lexer_.token().is(Sign::at)) return keyword_nested();
  simple_statement();
}

void Statements::simple_statement() {
  const SyntaxId root = exprs_.parse();
  if (lexer_.token().is(Sign::colon)) {
    annotated(root);
  } else if (lexer_.token().is(Sign::assign) || lexer_.token().is(Sign::comma)) {
    assignment(root);
  } else {
    expression_statement(root);
  }
  end_line();
}

/// `x: T.int32 = v`
void Statements::annotated(SyntaxId target) {
  const std::string_view name = target_name(target);
  lexer_.advance();
  const NodeId type = exprs_.type(exprs_.read());
  if (!lexer_.accept(Sign::assign)) {
    lexer_.fail(lexer_.token(),
                fmt::format("expected '=' after the type of {}, found {}", name, lexer_.found()));
  }
  let(name, type, read_expr());
}

void Statements::let(std::string_view name, NodeId type, NodeId value) {
  const NodeId var = scope_var(name, type);
  open(FrameKind::scoped, Form::concise);
  frames_.add_scope(Kind::LetStmt, f::LetStmt::body, {var, value, NodeId::none});
  bind(name, var);
}

void Statements::assignment(SyntaxId first_target) {
  std::vector<SyntaxId> targets{first_target};
  while (lexer_.accept(Sign::comma)) targets.push_back(exprs_.parse());
  if (!lexer_.accept(Sign::assign)) {
    lexer_.fail(lexer_.token(), fmt::format("expected '=', found {}", lexer_.found()));
  }
  std::vector<SyntaxId> values{exprs_.parse()};
  while (lexer_.accept(Sign::comma)) values.push_back(exprs_.parse());
  if (targets.size() > 1 || values.size() > 1) return define_all(targets, values);
  if (exprs_.syntax(first_target).kind == SyntaxKind::subscript) {
    return store(first_target, values.front());
  }
  define(first_target, values.front());
}

/// `n, m = T.int32(), T.int32()` or `vi, vj = T.axis.remap("SS", [i, j])`.
void Statements::define_all(const std::vector<SyntaxId>& names,
                            const std::vector<SyntaxId>& values) {
  if (values.size() == 1 && exprs_.tir_callee(values.front()) == "axis.remap") {
    return define_remap(names, exprs_.arguments(values.front()));
  }
  if (names.size() != values.size()) {
    const text::Syntax& first = exprs_.syntax(names.front());
    support::fail_at(c_.source, first.begin,
                     fmt::format("{} names for {} values", names.size(), values.size()));
  }
  for (std::size_t i = 0; i < names.size(); ++i) define(names[i], values[i]);
}

void Statements::define(SyntaxId target, SyntaxId value) {
  const std::string_view name = target_name(target);
  if (const auto known = ahead_.find(begin_); known != ahead_.end()) {
    return bind(name, known->second);
  }
  if (is_declaration(value)) return bind(name, declaration(name, value));
  const std::string_view callee = exprs_.tir_callee(value);
  if (const auto opener = openers().find(callee); opener != openers().end()) {
    const Arguments args = exprs_.arguments(value);
    open(FrameKind::scoped, Form::concise);
    return bind(name, (this->*opener->second)(name, args));
  }
  if (callee == "axis.remap") return define_remap({target}, exprs_.arguments(value));
  const NodeId node = exprs_.expr(exprs_.lower(value));
  const DType dtype = c_.make.dtype_of(node);
  c_.lose(LossCode::var_type, "let without a type");
  let(name, dtype.is_void() ? c_.make.void_type() : c_.make.prim_type(dtype), node);
}

/// Whether `name = value` declares, as `T.int32()` and `T.Buffer(…)` do.
bool Statements::is_declaration(SyntaxId value) {
  const std::string_view callee = exprs_.tir_callee(value);
  if (definitions().contains(callee)) return true;
  const bool is_type = parse_dtype(callee) && exprs_.syntax(value).kind == SyntaxKind::call;
  return is_type && (callee == "handle" || exprs_.arguments(value).size() == 0);
}

NodeId Statements::declaration(std::string_view name, SyntaxId value) {
  const std::string_view callee = exprs_.tir_callee(value);
  const Arguments args = exprs_.arguments(value);
  const auto definition = definitions().find(callee);
  return definition != definitions().end() ? (this->*definition->second)(name, args)
                                           : define_var(name, callee, args);
}

void Statements::store(SyntaxId target, SyntaxId value) {
  const Value access = exprs_.lower(target);
  if (access.kind != ValueKind::access) exprs_.fail_expected(access, "an element of a buffer");
  Builder& b = c_.builder;
  const std::vector<NodeId> indices = exprs_.indices(access);
  const Value stored = exprs_.lower(value);
  if (access.node == NodeId::none) {
    const NodeId producer = exprs_.producer(access);
    return add(b.make(Kind::ProducerStore, {producer, exprs_.expr(stored), b.list(indices)}));
  }
  const NodeId node = exprs_.expr_as(stored, c_.make.loaded_dtype(access.node, indices));
  add(b.make(Kind::BufferStore, {access.node, node, b.list(indices), NodeId::none}));
}

/// `A.vstore([…], value, predicate=p)`
void Statements::store_predicated(SyntaxId call) {
  const Arguments args = exprs_.arguments(call);
  args.expect(2, 3);
  args.expect_keywords({"predicate"});
  c_.versions.observe(TvmFeature::predicated_accesses);
  const std::string_view callee = args.callee();
  const std::string_view name = callee.substr(0, callee.rfind('.'));
  const NodeId buffer = c_.names.find(name);
  if (buffer == NodeId::none || !c_.node(buffer).is(Kind::Buffer)) {
    args.fail(fmt::format("'{}' is no buffer", name));
  }
  const std::vector<NodeId> indices = exprs_.exprs(args[0]);
  const NodeId value = exprs_.expr(args[1]);
  const NodeId predicate = exprs_.expr_or_none(args.find(2, "predicate"));
  add(c_.builder.make(Kind::BufferStore, {buffer, value, c_.builder.list(indices), predicate}));
}

void Statements::expression_statement(SyntaxId root) {
  const text::Syntax& syntax = exprs_.syntax(root);
  if (syntax.kind == SyntaxKind::string) return;  // a doc string
  const std::string_view callee = exprs_.tir_callee(root);
  if (const auto line = lines().find(callee); line != lines().end()) {
    return (this->*line->second)(exprs_.arguments(root));
  }
  if (const auto opener = openers().find(callee); opener != openers().end()) {
    const Arguments args = exprs_.arguments(root);
    open(FrameKind::scoped, Form::concise);
    (this->*opener->second)({}, args);
    return;
  }
  if (syntax.kind == SyntaxKind::call && callee.empty() &&
      lexer_.slice(syntax.begin, syntax.name_begin).ends_with(".vstore")) {
    return store_predicated(root);
  }
  const NodeId value = exprs_.expr(exprs_.lower(root));
  add(c_.builder.make(Kind::Evaluate, {value}));
}

// --- Parts of lines ----------------------------------------------------------------------------

void Statements::add(NodeId stmt) {
  c_.builder.set_source_range(stmt, {begin_, lexer_.token().begin});
  frames_.add(stmt);
}

void Statements::open(FrameKind kind, Form form) {
  Frame frame{.kind = kind, .indent = 0, .header_indent = 0, .begin = begin_};
  frame.indent = frames_.top().indent;
  frame.header_indent = form == Form::nested ? frame.indent : frames_.top().header_indent;
  frames_.open(frame);
}

/// The colon that ends the line above a suite.
void Statements::end_header() {
  if (!lexer_.accept(Sign::colon)) {
    lexer_.fail(lexer_.token(), fmt::format("expected ':', found {}", lexer_.found()));
  }
  end_line();
  expects_suite_ = true;
}

void Statements::end_line() {
  if (!lexer_.token().is(TokenKind::newline) && !lexer_.token().is(TokenKind::end)) {
    lexer_.fail(lexer_.token(),
                fmt::format("expected the end of the line, found {}", lexer_.found()));
  }
  line_end_ = lexer_.token().begin;
  if (lexer_.token().is(TokenKind::newline)) lexer_.advance();
}

std::string_view Statements::target_name(SyntaxId target) {
  const text::Syntax& syntax = exprs_.syntax(target);
  const std::string_view text = lexer_.slice(syntax.begin, syntax.end);
  if (syntax.kind != SyntaxKind::name) {
    support::fail_at(c_.source, syntax.begin, fmt::format("cannot assign to '{}'", text),
                     syntax.end - syntax.begin);
  }
  return text;
}

void Statements::bind(std::string_view name, NodeId node) {
  if (!name.empty() && node != NodeId::none) c_.names.bind(name, node);
}

/// Notes that `node` is declared but not set.
NodeId Statements::declare(NodeId node) {
  declared_.insert(index(node));
  return node;
}

/// What an earlier line declared under this name, once: a printer names nothing twice in a scope,
/// so the statement that sets it means that one.
NodeId Statements::declared(std::string_view name, Kind kind) {
  const NodeId known = c_.names.find(name);
  if (known == NodeId::none || !c_.node(known).is(kind)) return NodeId::none;
  return declared_.erase(index(known)) > 0 ? known : NodeId::none;
}

/// The variable that a statement sets.
NodeId Statements::scope_var(std::string_view name, NodeId type) {
  const NodeId known = declared(name, Kind::Var);
  const bool fits = known != NodeId::none && c_.node(known).dtype() == c_.make.dtype_of_type(type);
  return fits ? known : c_.make.var(name, type);
}

std::string_view Statements::expect_name(std::string_view wanted) {
  if (!lexer_.token().is(TokenKind::name)) {
    lexer_.fail(lexer_.token(), fmt::format("expected {}, found {}", wanted, lexer_.found()));
  }
  const std::string_view name = lexer_.text(lexer_.token());
  lexer_.advance();
  return name;
}

/// TVM prints names that are words of Python as they are: `for = T.int32()`, `in[0] = 1`.
bool Statements::is_plain_name() const {
  const std::string_view rest = lexer_.slice(lexer_.token().end, lexer_.line_end());
  return rest.starts_with("[") || rest.starts_with(".") || rest.starts_with(",") ||
         rest.starts_with(" = ");
}

bool Statements::at_word(std::string_view word) const {
  return lexer_.token().is(TokenKind::name) && lexer_.text(lexer_.token()) == word;
}

}  // namespace mlf::tir::tvmscript
