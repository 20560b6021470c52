#include "tir/c/read/body.h"

#include <fmt/core.h>

#include <array>

#include "mlf/tir/kind.h"

namespace mlf::tir::c {
namespace {

constexpr std::string_view kWhileTrue = "while ( 1 ) {";
constexpr std::string_view kVoidCall = "( void )";

}  // namespace

NodeId BodyReader::read() {
  open({.open = Open::body});
  while (!cursor_.at_end()) statement();
  close_covering();
  if (frames_.size() != 1 || !is_returned_) {
    cursor_.fail("the function ends without 'return 0;'");
  }
  const NodeId body = sequence(0);
  for (const NodeId var : untyped_lets_) {
    if (const auto element = context_.buffers.element_of(var)) {
      builder().set(var, f::Var::type_annotation,
                    make().pointer_type(make().prim_type(*element), ""));
    }
  }
  return body;
}

void BodyReader::statement() {
  const std::string_view word = cursor_.text();
  if (!pending_.empty() && word != "if") {
    cursor_.fail(
        fmt::format("expected the 'if' that sets '{}', found {}", pending_, cursor_.found()));
  }
  if (word == "}") return close_block();
  if (word == "{") {
    open({.open = Open::bare, .begin = cursor_.advance().begin});
    return;
  }
  if (word == ";") {
    cursor_.advance();
    return;
  }
  if (word == "for") return loop();
  if (word == "while") return while_();
  if (word == "if") return if_();
  if (word == "return") return return_();
  if (cursor_.accept_form(kVoidCall, words_)) return void_call();
  if (declaration() || external_layer()) return;
  assignment();
}

/// A layer that a function of CMSIS-NN computes.
bool BodyReader::external_layer() {
  const std::uint32_t begin = cursor_.peek().begin;
  if (cmsis_.structure()) return true;
  const auto call = cmsis_.call();
  if (!call) return false;
  complete(builder().make(Kind::Evaluate, {*call}), begin);
  return true;
}

// --- Blocks -------------------------------------------------------------------------------------

void BodyReader::push(const Frame& frame) {
  if (frame.open < Open::let) blocks_.push_back(frames_.size());
  frames_.push_back(frame);
}

BodyReader::Frame BodyReader::pop() {
  const Frame frame = frames_.back();
  frames_.pop_back();
  if (frame.open < Open::let) blocks_.pop_back();
  return frame;
}

void BodyReader::open(Frame frame) {
  frame.first = done_.size();
  push(frame);
}

/// The innermost frame that is a block of its own.
BodyReader::Frame& BodyReader::block() {
  return frames_[blocks_.back()];
}

NodeId BodyReader::sequence(std::size_t first) {
  const std::span<const NodeId> statements(done_.begin() + static_cast<std::ptrdiff_t>(first),
                                           done_.end());
  NodeId result = NodeId::none;
  if (statements.empty()) {
    result = builder().make(Kind::Evaluate, {make().int32(0)});
  } else if (statements.size() == 1) {
    result = statements.front();
  } else {
    result = builder().make(Kind::SeqStmt, {builder().list(statements)});
  }
  done_.resize(first);
  return result;
}

void BodyReader::complete(NodeId statement, std::uint32_t begin) {
  if (&cursor_.source() == context_.module.primary) {
    builder().set_source_range(statement, {begin, cursor_.peek().begin});
  }
  done_.push_back(statement);
}

NodeId BodyReader::finish_covering(const Frame& frame, NodeId body) {
  if (frame.open == Open::let) {
    return builder().make(Kind::LetStmt, {frame.var, frame.value, body});
  }
  const ListId no_annotations = builder().map(std::span<const NamedNode>());
  return builder().make(Kind::Allocate, {frame.var, frame.dtype, builder().list({frame.value}),
                                         make().boolean(1), body, no_annotations});
}

/// Ends what governs the rest of the block that ends here.
void BodyReader::close_covering() {
  while (frames_.back().open >= Open::let) {
    const Frame frame = frames_.back();
    if (!frame.device.empty()) cursor_.fail(fmt::format("'{}' is never released", frame.name));
    pop();
    const NodeId body = sequence(frame.first);
    complete(finish_covering(frame, body), frame.begin);
  }
}

void BodyReader::close_block() {
  close_covering();
  const Frame frame = frames_.back();
  if (frame.open == Open::body) cursor_.fail("a '}' that closes nothing");
  cursor_.advance();
  pop();
  switch (frame.open) {
    case Open::bare:
      return;  // its statements are those of the block around it
    case Open::loop: {
      const NodeId body = sequence(frame.first);
      const ListId none = builder().map(std::span<const NamedNode>());
      const NodeId zero = make().int_imm(node(frame.var).dtype(), 0);
      return complete(builder().make(Kind::For, {frame.var, zero, frame.value, ForKind::serial,
                                                 body, NodeId::none, none}),
                      frame.begin);
    }
    case Open::while_: {
      if (frame.value == NodeId::none) cursor_.fail("a loop without end");
      const NodeId body = sequence(frame.first);
      return complete(builder().make(Kind::While, {frame.value, body}), frame.begin);
    }
    case Open::if_value:
    case Open::else_value:
      return finish_value(frame);
    default:
      return finish_branch(frame);
  }
}

void BodyReader::finish_branch(Frame frame) {
  const bool is_empty = done_.size() == frame.first;
  const bool has_else = frame.open == Open::then_case && cursor_.looks_like("else {");
  if (has_else) {
    cursor_.advance();
    cursor_.advance();
    frame.other = sequence(frame.first);
    frame.open = Open::else_case;
    frame.stores_arguments = frame.stores_arguments && is_empty;
    push(frame);
    return;
  }
  // Type codes of arguments and questions for strides leave nothing behind.
  if (is_empty && frame.stores_arguments) return;
  if (is_empty && frame.open == Open::then_case && params_.is_strides_check(frame.value)) return;
  const NodeId body = sequence(frame.first);
  const bool is_else = frame.open == Open::else_case;
  complete(builder().make(Kind::IfThenElse, {frame.value, is_else ? frame.other : body,
                                             is_else ? body : NodeId::none}),
           frame.begin);
}

/// `T condval; if (c) { condval = a; } else { condval = b; }` is an expression.
void BodyReader::finish_value(Frame frame) {
  if (done_.size() != frame.first) cursor_.fail("a statement inside of a conditional expression");
  const NodeId value = frame.var;
  if (value == NodeId::none) {
    cursor_.fail(fmt::format("expected '{} = …;' in this branch", frame.name));
  }
  if (frame.open == Open::if_value) {
    cursor_.expect("else");
    cursor_.expect("{");
    frame.open = Open::else_value;
    frame.other = value;
    frame.var = NodeId::none;
    push(frame);
    return;
  }
  exprs_.require_type(frame.other, frame.dtype);
  exprs_.require_type(value, frame.dtype);
  const NodeId expr = context_.operators.if_then_else(frame.value, frame.other, value);
  context_.define(frame.name, {Binding::What::temporary, DType::Void(), expr});
}

// --- Loops and branches -------------------------------------------------------------------------

/// `for (T i = 0; i < extent; ++i) {`
void BodyReader::loop() {
  const std::uint32_t begin = cursor_.peek().begin;
  cursor_.advance();
  cursor_.expect("(");
  const Token type = cursor_.peek();
  const auto dtype = scalar_type(cursor_.expect_name("the type of a loop variable"));
  if (!dtype || !(dtype->is_int() || dtype->is_uint())) {
    cursor_.fail(type, "a loop variable that is no integer");
  }
  const std::string_view name = cursor_.expect_name("a loop variable");
  cursor_.expect("=");
  cursor_.expect("0");
  cursor_.expect(";");
  cursor_.expect(name);
  cursor_.expect("<");
  const NodeId extent = exprs_.expression();
  for (const std::string_view word : {std::string_view(";"), std::string_view("++"), name,
                                      std::string_view(")"), std::string_view("{")}) {
    cursor_.expect(word);
  }
  const NodeId var = make().var(name, make().prim_type(*dtype));
  context_.define(name, {Binding::What::variable, DType::Void(), var});
  if (const auto range = context_.operators.facts().of(extent).range; range && range->high > 0) {
    context_.operators.limit(var, Interval{0, range->high - 1});
  }
  open({.open = Open::loop, .begin = begin, .var = var, .value = extent});
}

/// `while (c) {` up to v0.15, then `while (1) {` with the condition in its first statement.
void BodyReader::while_() {
  const std::uint32_t begin = cursor_.peek().begin;
  if (cursor_.accept_form(kWhileTrue, words_)) {
    open({.open = Open::while_, .begin = begin});
    return;
  }
  cursor_.advance();
  cursor_.expect("(");
  const NodeId condition = exprs_.expression();
  cursor_.expect(")");
  cursor_.expect("{");
  open({.open = Open::while_, .begin = begin, .value = condition});
}

void BodyReader::if_() {
  if (fixed_if()) return;
  const std::uint32_t begin = cursor_.peek().begin;
  cursor_.advance();
  cursor_.expect("(");
  const NodeId condition = exprs_.expression();
  cursor_.expect(")");
  if (cursor_.at_word("return")) return check_return(condition, begin);
  cursor_.expect("{");
  if (while_condition(condition)) return;
  open_branch(condition, begin);
}

void BodyReader::open_branch(NodeId condition, std::uint32_t begin) {
  const bool is_value = !pending_.empty();
  open({.open = is_value ? Open::if_value : Open::then_case,
        .begin = begin,
        .value = condition,
        .dtype = pending_type_,
        .name = pending_});
  pending_ = {};
}

/// `if (!(c)) { break; }` at the beginning of a loop without condition.
bool BodyReader::while_condition(NodeId condition) {
  Frame& loop = frames_.back();
  if (loop.open != Open::while_ || loop.value != NodeId::none) return false;
  if (!cursor_.accept_form("break ; }", words_)) return false;
  const Node negated = node(condition);
  if (!negated.is(Kind::Not)) cursor_.fail("a loop that ends under a condition without '!'");
  loop.value = negated[f::Not::a].id();
  return true;
}

/// `if (f(…) != 0 ) return -1;`
void BodyReader::check_return(NodeId condition, std::uint32_t begin) {
  const Node check = node(condition);
  const bool is_check = check.is(Kind::NE) && check[f::NE::a].is(Kind::Call) &&
                        check[f::NE::b].is(Kind::IntImm) &&
                        check[f::NE::b].integer(f::IntImm::value) == 0;
  if (!is_check) cursor_.fail("a return under a condition that is no result of a call");
  pass_return_error();
  note_call(check[f::NE::a]);
  const std::array args = {make().int32(0), make().int32(-1), check[f::NE::a].id()};
  const NodeId call = context_.operators.call("tir.tvm_check_return", DType::Int(32), args);
  complete(builder().make(Kind::Evaluate, {call}), begin);
}

/// `(void)f(…);` of v0.8.
void BodyReader::void_call() {
  const std::uint32_t begin = cursor_.peek().begin;
  const NodeId value = exprs_.expression();
  cursor_.expect(";");
  if (node(value).is(Kind::Call)) note_call(node(value));
  complete(builder().make(Kind::Evaluate, {value}), begin);
}

/// Calls of kernels tell what their parameters are.
void BodyReader::note_call(Node call) {
  const auto args = call.list(f::Call::args);
  if (args.empty() || !args[0].is(Kind::StringImm)) return;
  CallSite site{.callee = args[0].text(f::StringImm::value), .args = {}};
  for (std::size_t i = 1; i < args.size(); ++i) site.args.push_back(args[i].id());
  context_.calls.push_back(std::move(site));
}

void BodyReader::pass_return_error() {
  if (!cursor_.accept_form("return - 1 ;", words_)) cursor_.fail("expected 'return -1;'");
}

/// `return 0;` ends every function and is no statement of the IR, unless a result was stored.
void BodyReader::return_() {
  const std::uint32_t begin = cursor_.peek().begin;
  if (cursor_.accept_form("return - 1 ;", words_)) {
    const NodeId call = context_.operators.call("tir.tvm_throw_last_error", DType::Int(32), {});
    return complete(builder().make(Kind::Evaluate, {call}), begin);
  }
  if (!cursor_.accept_form("return 0 ;", words_)) {
    cursor_.fail("expected 'return 0;' or 'return -1;'");
  }
  NodeId value = result_;
  if (value != NodeId::none) is_returned_ = true;
  result_ = NodeId::none;
  if (value == NodeId::none) {
    const bool is_last = cursor_.at_end() || cursor_.looks_like("return 0 ;");
    if (block().open == Open::body && is_last) {
      is_returned_ = true;
      return;
    }
    value = make().int32(0);
  }
  const NodeId call = context_.operators.call("tir.ret", make().dtype_of(value), std::array{value});
  complete(builder().make(Kind::Evaluate, {call}), begin);
}

}  // namespace mlf::tir::c
