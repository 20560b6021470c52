// Reads the statements of one function body, on a stack of open blocks.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "mlf/tir/module.h"
#include "mlf/tir/visit.h"
#include "support/characters.h"
#include "support/error.h"
#include "tir/c/read/blocks.h"
#include "tir/c/read/context.h"
#include "tir/c/read/expressions.h"
#include "tir/c/read/function.h"
#include "tir/c/read/packed_calls.h"
#include "tir/c/read/unknown_statements.h"
#include "tir/cmsis_nn.h"
#include "tir/pools.h"

namespace mlf::tir::c {
namespace {

constexpr std::string_view kWhileTrue = "while (1) {";
constexpr std::string_view kVoidCall = "(void)";
constexpr std::string_view kFreeWorkspace = "if (TVMBackendFreeWorkspace(1, $, $) != 0)";
constexpr std::string_view kPlainFree = "TVMBackendFreeWorkspace(1, $, $);";
constexpr std::string_view kReturn = "return $;";
constexpr std::string_view kAllocate = "TVMBackendAllocWorkspace";
constexpr std::string_view kAllocationCheck = "if ($ == NULL)";

/// `_1` (up to v0.9), `__1` (v0.10, v0.11), `v_` and `v__1` (since v0.12).
bool is_temp_name(std::string_view name) {
  if (name == "v_") return true;
  if (name.starts_with("v__")) return support::is_digits(name.substr(3));
  if (name.starts_with("__")) return support::is_digits(name.substr(2));
  return name.starts_with("_") && support::is_digits(name.substr(1));
}

class BodyReader {
 public:
  BodyReader(FunctionContext& context, Params& params)
      : context_(context),
        cursor_(context.cursor),
        params_(params),
        exprs_(context),
        blocks_(context),
        packed_calls_(context),
        unknown_(context) {}

  /// Reads the statements up to the end of the tokens.
  /// The type of a `void*` is known when its block is read: uses alone say what it points to.
  NodeId read() {
    blocks_.open({.kind = BlockKind::body});
    while (!cursor_.at_end()) statement_or_text();
    blocks_.close_rest_of_block();
    if (!blocks_.is_body_alone() || !is_returned_) {
      cursor_.fail("the function ends without 'return 0;'");
    }
    const NodeId body = blocks_.sequence(blocks_.close());
    // Handles that no buffer was accessed through stay handles.
    for (const NodeId var : untyped_lets_) {
      if (const auto element = context_.buffers.element_of(var)) {
        builder().set(var, f::Var::type_annotation, make().pointer_to(*element, ""));
      }
    }
    return body;
  }

 private:
  struct Declared {
    std::string_view name{};
    DType dtype{};  ///< handle for a pointer
    DType pointee{};
    std::uint32_t begin = 0;
  };

  /// Passes over a call that `mlf profile --instrument` has added: it computes nothing.
  bool pass_instrument() {
    if (!cursor_.at_word("mlf_call_begin") && !cursor_.at_word("mlf_call_end")) return false;
    return cursor_.accept_form("mlf_call_begin($);", words_) ||
           cursor_.accept_form("mlf_call_end($);", words_);
  }

  /// Reads a statement. One outside of the grammar keeps its text, and the function goes on behind
  /// it.
  void statement_or_text() {
    if (pass_instrument()) return;
    const std::size_t begin = cursor_.position();
    const bool is_if = cursor_.at_word("if");
    const std::uint32_t first = cursor_.peek().begin;
    const std::size_t changes = blocks_.changes();
    try {
      statement();
    } catch (const support::Error& error) {
      // An error without a place, such as too many nodes, is not about this statement.
      if (error.diagnostic().where.line == 0) throw;
      keep_text(begin, error);
    }
    // What leaves nothing behind declares or stores what the next call takes, but for `if`s that
    // look up a function for several calls.
    const bool prepares = !is_if && blocks_.changes() == changes;
    prepared_ = prepares ? std::optional(prepared_.value_or(first)) : std::nullopt;
  }

  /// Rethrows the error of a statement whose end cannot be told: then the whole function keeps its
  /// text.
  void keep_text(std::size_t begin, const support::Error& reason) {
    cursor_.rewind(begin);
    const std::uint32_t first = cursor_.peek().begin;
    const auto text = unknown_.pass(reason.diagnostic());
    if (!text) throw reason;
    // A variable whose branches do not follow is not a conditional expression.
    if (!pending_.empty()) context_.names.forget(pending_);
    pending_ = {};
    if (text->returns) is_returned_ = true;
    blocks_.complete(text->statement, first);
  }

  /// The first word decides. Declarations come before assignments because both begin with a name,
  /// and the structs of CMSIS-NN because their types are not words of C.
  void statement() {
    const std::string_view word = cursor_.text();
    if (!pending_.empty() && word != "if") {
      cursor_.fail(
          fmt::format("expected the 'if' that sets '{}', found {}", pending_, cursor_.found()));
    }
    if (word == "}") return close_block();
    if (word == "{") {
      return blocks_.open({.kind = BlockKind::bare, .begin = cursor_.advance().begin});
    }
    if (word == ";") {
      cursor_.advance();
      return;
    }
    if (UnknownStatements::may_only_read(word)) {
      cursor_.fail("a statement that TVM does not write");
    }
    if (word == "for") return loop();
    if (word == "while") return while_();
    const bool may_release = word == "if" || word == "TVMBackendFreeWorkspace";
    if (may_release && release_workspace()) return;
    if (word == "if") return if_();
    if (word == "return") return return_();
    if (cursor_.accept_form(kVoidCall, words_)) return void_call();
    if (ethos_u_launch() || declaration() || external_layer()) return;
    assignment();
  }

  /// A layer that a function of CMSIS-NN computes.
  bool external_layer() {
    const std::uint32_t begin = cursor_.peek().begin;
    const auto call = read_cmsis_layer(context_, exprs_);
    if (!call) return false;
    note_layer(node(*call));
    blocks_.complete(builder().make(Kind::Evaluate, {*call}), begin);
    return true;
  }

  /// The whole body of a function for an Ethos-U.
  bool ethos_u_launch() {
    const std::uint32_t begin = cursor_.peek().begin;
    const auto launch = read_ethos_u_launch(context_, exprs_);
    if (!launch) return false;
    blocks_.complete(*launch, begin);
    is_returned_ = true;
    return true;
  }

  // --- Ends of blocks ----------------------------------------------------------------------------

  /// At a `}`: first what has the rest of the block for a body, then the block.
  void close_block() {
    blocks_.close_rest_of_block();
    if (blocks_.innermost().kind == BlockKind::body) cursor_.fail("a '}' that closes nothing");
    cursor_.advance();
    const Block block = blocks_.close();
    context_.names.end_scope(block.first_name);
    switch (block.kind) {
      case BlockKind::bare:
        return;  // its statements are those of the block around it
      case BlockKind::while_loop:
        if (block.condition == NodeId::none) cursor_.fail("a loop without end");
        return blocks_.complete_scope(block);
      case BlockKind::loop:
        return blocks_.complete_scope(block);
      case BlockKind::if_value:
      case BlockKind::else_value:
        return finish_value(block);
      default:
        return finish_branch(block);
    }
  }

  /// The end of a branch. `else if` is never printed: an `else` has a block of its own.
  void finish_branch(Block block) {
    const bool is_empty = blocks_.is_empty(block);
    if (block.kind == BlockKind::then_case && cursor_.accept_form("else {", words_)) {
      block.then_case = blocks_.sequence(block);
      block.kind = BlockKind::else_case;
      block.stores_arguments = block.stores_arguments && is_empty;
      return blocks_.open(block);
    }
    // Type codes of arguments and questions for strides leave nothing behind.
    if (is_empty && block.stores_arguments) return;
    if (is_empty && block.kind == BlockKind::then_case && params_.is_strides_check(block.condition))
      return;
    blocks_.complete(blocks_.make_branches(block, blocks_.sequence(block)), block.begin);
  }

  /// `T condval; if (c) { condval = a; } else { condval = b; }` is an expression.
  void finish_value(Block block) {
    if (!blocks_.is_empty(block)) cursor_.fail("a statement inside of a conditional expression");
    const NodeId value = block.value;
    if (value == NodeId::none) {
      cursor_.fail(fmt::format("expected '{} = …;' in this branch", block.name));
    }
    if (block.kind == BlockKind::if_value) {
      cursor_.expect_form("else {");
      block.kind = BlockKind::else_value;
      block.then_case = value;
      block.value = NodeId::none;
      return blocks_.open(block);
    }
    exprs_.require_type(block.then_case, block.dtype);
    exprs_.require_type(value, block.dtype);
    const NodeId expr = context_.operators.if_then_else(block.condition, block.then_case, value);
    context_.define(block.name, {BindingKind::temporary, DType::Void(), expr});
  }

  // --- Loops and branches ------------------------------------------------------------------------

  /// `for (T i = 0; i < extent; ++i) {`
  void loop() {
    const std::uint32_t begin = cursor_.peek().begin;
    cursor_.expect_form("for (");
    const Token type = cursor_.peek();
    const auto dtype = scalar_type(cursor_.expect_name("the type of a loop variable"));
    if (!dtype || !(dtype->is_int() || dtype->is_uint())) {
      cursor_.fail(type, "a loop variable that is not an integer");
    }
    const std::string_view name = cursor_.expect_name("a loop variable");
    cursor_.expect_form("= 0;");
    cursor_.expect(name);
    cursor_.expect("<");
    const NodeId extent = exprs_.expression();
    cursor_.expect(";");
    // `++i`, as TVM writes it, `i++` or `i += 1`.
    const bool is_before = cursor_.accept(sign("++"));
    cursor_.expect(name);
    if (!is_before && !cursor_.accept(sign("++"))) cursor_.expect_form("+= 1");
    cursor_.expect_form(") {");
    const NodeId var = make().var(name, make().prim_type(*dtype));
    const std::size_t first_name = context_.names.count();
    context_.define(name, {BindingKind::variable, DType::Void(), var});
    // Indices below are not negative, and as small as this says.
    if (const auto range = context_.operators.facts().of(extent).range; range && range->high > 0) {
      context_.operators.limit(var, Interval{0, range->high - 1});
    }
    blocks_.open({.kind = BlockKind::loop, .first_name = first_name, .begin = begin});
    blocks_.add_scope(Kind::For, {var, make().int_imm(*dtype, 0), extent, ForKind::serial,
                                  NodeId::none, NodeId::none, make().no_entries()});
  }

  /// `while (c) {` up to v0.15, then `while (1) {` with the condition in its first statement.
  void while_() {
    const std::uint32_t begin = cursor_.peek().begin;
    if (cursor_.accept_form(kWhileTrue, words_)) {
      return blocks_.open({.kind = BlockKind::while_loop, .begin = begin});
    }
    cursor_.expect_form("while (");
    const NodeId condition = exprs_.expression();
    cursor_.expect_form(") {");
    blocks_.open({.kind = BlockKind::while_loop, .begin = begin, .condition = condition});
    blocks_.add_scope(Kind::While, {condition, NodeId::none});
  }

  /// Calls of the runtime are `if`s of a fixed form, tried before conditions.
  void if_() {
    if (packed_calls_.look_up()) return;
    const std::uint32_t begin = cursor_.peek().begin;
    if (const auto call = packed_calls_.call()) {
      return blocks_.complete(builder().make(Kind::Evaluate, {*call}), begin,
                              prepared_.value_or(begin));
    }
    cursor_.expect_form("if (");
    const NodeId condition = exprs_.expression();
    cursor_.expect(")");
    if (cursor_.at_word("return") || is_failure_of_call(condition)) {
      return check_return(condition, begin);
    }
    cursor_.expect("{");
    if (while_condition(condition)) return;
    open_branch(condition, begin);
  }

  /// `if (TVMBackendFreeWorkspace(1, device, x) != 0) {…}` ends the allocation of `x`. People leave
  /// out the check.
  bool release_workspace() {
    const bool is_checked = cursor_.accept_form(kFreeWorkspace, words_);
    if (!is_checked && !cursor_.accept_form(kPlainFree, words_)) return false;
    const std::string_view device = words_[0];
    const std::string_view name = words_[1];
    if (is_checked) pass_return_error();
    blocks_.release(name, device);
    return true;
  }

  /// A declaration without a value (`T condval;`) makes the next `if` an expression.
  void open_branch(NodeId condition, std::uint32_t begin) {
    const bool is_value = !pending_.empty();
    blocks_.open({.kind = is_value ? BlockKind::if_value : BlockKind::then_case,
                  .begin = begin,
                  .condition = condition,
                  .dtype = pending_type_,
                  .name = pending_});
    pending_ = {};
  }

  /// `if (!(c)) { break; }` at the beginning of a loop without condition.
  bool while_condition(NodeId condition) {
    Block& loop = blocks_.innermost();
    if (loop.kind != BlockKind::while_loop || loop.condition != NodeId::none) return false;
    if (!cursor_.accept_form("break; }", words_)) return false;
    const Node negated = node(condition);
    if (!negated.is(Kind::Not)) cursor_.fail("a loop that ends under a condition without '!'");
    loop.condition = negated[f::Not::a].id();
    blocks_.add_scope(Kind::While, {loop.condition, NodeId::none});
    return true;
  }

  /// The call of `f(…) != 0`, or of `f(…)` as people write it; undefined for any other condition.
  Node asked_call(NodeId condition) {
    const Node whole = node(condition);
    const bool is_compared = whole.is(Kind::NE) && is_int_imm(whole[f::NE::b], 0);
    const Node call = is_compared ? whole[f::NE::a] : whole;
    return call.is(Kind::Call) && call.dtype().is_int() ? call : Node();
  }

  /// `{ return -1; }` behind such a condition.
  bool is_failure_of_call(NodeId condition) {
    const bool returns =
        cursor_.looks_like("{ return -$; }") || cursor_.looks_like("{ return $; }");
    return returns && asked_call(condition);
  }

  /// `if (f(…) != 0 ) return -1;`
  void check_return(NodeId condition, std::uint32_t begin) {
    const Node call = asked_call(condition);
    if (!call) cursor_.fail("a return under a condition that is not the result of a call");
    const auto otherwise = failure({});
    if (!otherwise) cursor_.fail("expected 'return -1;'");
    complete_check(call, *otherwise, begin);
  }

  /// The call has to return 0; where it does not, the function returns `otherwise`.
  void complete_check(Node checked, std::int64_t otherwise, std::uint32_t begin) {
    note_call(checked);
    const std::array args = {make().int32(0), make().int32(otherwise), checked.id()};
    const NodeId call = context_.operators.call("tir.tvm_check_return", DType::Int(32), args);
    blocks_.complete(builder().make(Kind::Evaluate, {call}), begin);
  }

  /// `int status = f(…); if (status != 0) return status;`, as people write a call that is checked.
  /// The IR has no such result and says -1. Behind the check, the status is 0.
  bool checked_status(const Declared& declared, NodeId value) {
    const bool is_call = node(value).is(Kind::Call) && declared.dtype.is_int();
    const std::size_t begin = cursor_.position();
    const bool is_asked =
        cursor_.accept_form("if ($ != 0)", words_) || cursor_.accept_form("if ($)", words_);
    const auto otherwise =
        is_call && is_asked && words_[0] == declared.name ? failure(declared.name) : std::nullopt;
    if (!otherwise) {
      cursor_.rewind(begin);
      return false;
    }
    context_.define(declared.name, {BindingKind::temporary, DType::Void(), make().int32(0)});
    complete_check(node(value), *otherwise, declared.begin);
    return true;
  }

  /// `(void)f(…);` of v0.8.
  void void_call() {
    const std::uint32_t begin = cursor_.peek().begin;
    const NodeId value = exprs_.expression();
    cursor_.expect(";");
    // `(void)p0;` says that nothing uses a parameter.
    bool has_call = false;
    for_each_pre_order(node(value), [&](Node one) { has_call |= one.is(Kind::Call); });
    if (!has_call) return;
    if (node(value).is(Kind::Call)) note_call(node(value));
    note_layer(node(value));
    blocks_.complete(builder().make(Kind::Evaluate, {value}), begin);
  }

  /// Calls of kernels tell what their parameters are.
  void note_call(Node call) {
    const auto args = call.list(f::Call::args);
    if (args.empty() || !args[0].is(Kind::StringImm)) return;
    CallSite site{.callee = args[0].text(f::StringImm::value), .args = {}};
    for (std::size_t i = 1; i < args.size(); ++i) site.args.push_back(args[i].id());
    context_.calls.push_back(std::move(site));
  }

  /// A layer of CMSIS-NN says how large the tensors are that it is given.
  void note_layer(Node value) {
    const auto layer = CmsisCall::of(value);
    if (!layer) return;
    for (const CmsisArgument what : layer->arguments()) {
      if (!is_memory(what) || what == CmsisArgument::context) continue;
      const auto memory = layer->memory(what);
      if (!memory) continue;
      context_.buffers.suggest_bytes(layer->argument(what).id(),
                                     static_cast<std::int64_t>(memory->bytes()));
    }
  }

  /// Passes `return -1;`, or another number that is not 0, in braces or not, or -1 for
  /// `return status;`. Returns nullopt for anything else.
  std::optional<std::int64_t> failure(std::string_view status) {
    const std::size_t begin = cursor_.position();
    const bool is_block = cursor_.accept(sign("{"));
    const bool is_negative = cursor_.accept_form("return -$;", words_);
    std::optional<std::int64_t> value;
    if (is_negative) {
      value = decimal(words_[0]);
      if (value) value = -*value;
    } else if (cursor_.accept_form(kReturn, words_)) {
      const bool is_status = !status.empty() && words_[0] == status;
      value = is_status ? std::optional<std::int64_t>(-1) : decimal(words_[0]);
    }
    if (!value || *value == 0 || (is_block && !cursor_.accept(sign("}")))) {
      cursor_.rewind(begin);
      return std::nullopt;
    }
    return value;
  }

  void pass_return_error() {
    if (failure({}) != -1) cursor_.fail("expected 'return -1;'");
  }

  /// Nothing executes statements behind a return that is under no condition.
  void require_end() {
    if (!blocks_.is_certain()) return;
    for (std::size_t ahead = 0; cursor_.peek(ahead).kind != TokenKind::end; ++ahead) {
      const bool ends = cursor_.at(sign("}"), ahead) || cursor_.at(sign(";"), ahead) ||
                        cursor_.at_word("return", ahead) || cursor_.text(ahead) == "0";
      if (!ends) cursor_.fail(cursor_.peek(ahead), "a statement behind a return");
    }
  }

  /// `return status;` where a call set it.
  bool pass_status(std::uint32_t begin) {
    if (!cursor_.looks_like(kReturn)) return false;
    const Binding* const named = context_.names.find(cursor_.text(1));
    if (named == nullptr || !statuses_.contains(named->node)) return false;
    cursor_.expect_form(kReturn, [&] { cursor_.advance(); });
    require_end();
    const std::array value = {named->node};
    const NodeId call = context_.operators.call("tir.ret", make().dtype_of(named->node), value);
    if (blocks_.with_braces().kind == BlockKind::body) is_returned_ = true;
    blocks_.complete(builder().make(Kind::Evaluate, {call}), begin);
    return true;
  }

  /// `return 0;`, or `return status;` behind the check of a call.
  bool returns_zero() {
    if (cursor_.accept_form("return (0);", words_)) return true;
    if (!cursor_.looks_like(kReturn)) return false;
    const Binding* const named = context_.names.find(cursor_.text(1));
    const bool is_checked = named != nullptr && named->kind == BindingKind::temporary &&
                            is_int_imm(node(named->node), 0);
    if (!is_checked && cursor_.text(1) != "0") return false;
    return cursor_.accept_form(kReturn, words_);
  }

  /// `return 0;` ends every function without being a statement of the IR, unless a result was
  /// stored. Since v0.13 it is a `ret(0)` of MakePackedAPI or MakeUnpackedAPI, before that the
  /// generator printed it.
  void return_() {
    const std::uint32_t begin = cursor_.peek().begin;
    if (cursor_.accept_form("return -1;", words_)) {
      require_end();
      const NodeId call = context_.operators.call("tir.tvm_throw_last_error", DType::Int(32), {});
      return blocks_.complete(builder().make(Kind::Evaluate, {call}), begin);
    }
    if (pass_status(begin)) return;
    if (!returns_zero()) cursor_.fail("expected 'return 0;' or 'return -1;'");
    require_end();
    NodeId value = result_;
    if (value != NodeId::none) is_returned_ = true;
    result_ = NodeId::none;
    if (value == NodeId::none) {
      // Behind an early return the body's own `return 0;` and the final one are both printed.
      const bool is_last = cursor_.at_end() || cursor_.looks_like("return 0;");
      if (blocks_.with_braces().kind == BlockKind::body && is_last) {
        is_returned_ = true;
        return;
      }
      value = make().int32(0);
    }
    const NodeId call =
        context_.operators.call("tir.ret", make().dtype_of(value), std::array{value});
    blocks_.complete(builder().make(Kind::Evaluate, {call}), begin);
  }

  // --- Declarations ------------------------------------------------------------------------------

  /// `T x = …;`, `T x[N];` or `T x;`, and what LowerTVMBuiltin declares for packed calls.
  bool declaration() {
    if (!cursor_.at_name()) return false;
    if (cursor_.at_word("TVMValue")) {
      packed_calls_.declare_storage();
      return true;
    }
    if (cursor_.accept_form("int $;", words_)) {
      packed_calls_.declare_result(words_[0]);
      return true;
    }
    const auto dtype = scalar_type(cursor_.text());
    if (!dtype) return false;
    Declared declared{.dtype = *dtype, .begin = cursor_.advance().begin};
    const bool is_pointer = cursor_.accept(sign("*"));
    if (is_pointer) {
      declared.pointee = *dtype;
      declared.dtype = DType::Handle();
    } else if (dtype->is_void()) {
      cursor_.fail("a variable of type void");
    }
    declared.name = cursor_.expect_name("a variable");
    if (cursor_.at(sign("["))) {
      declare_array(declared);
    } else if (cursor_.accept(sign("="))) {
      declare_value(declared);
    } else {
      cursor_.expect(";");
      pending_ = declared.name;
      pending_type_ = declared.dtype;
      context_.define(declared.name, {BindingKind::pending, DType::Void(), NodeId::none});
    }
    return true;
  }

  /// `float x[5];` is an allocation for the rest of the block.
  void declare_array(const Declared& declared) {
    if (!cursor_.accept_form("[$];", words_)) cursor_.fail("expected the number of elements");
    const std::int64_t count = cursor_.number_of(words_[0]);
    const DType element = declared.dtype;
    std::int64_t bytes = 0;
    const auto width = static_cast<std::int64_t>(element.element_bytes());
    if (__builtin_mul_overflow(count, width, &bytes)) cursor_.fail("an array that is too large");
    const std::string_view scope = bytes < kWorkspaceBytes ? "global" : kStackScope;
    const NodeId var = make().var(declared.name, make().pointer_to(element, scope));
    context_.define(declared.name, {BindingKind::variable, element, var});
    context_.buffers.set_bytes(var, bytes);
    open_allocation(declared, var, context_.operators.integer(DType::Int(32), count), element, {});
  }

  /// The condition of an Allocate is always true after the lowering passes.
  void open_allocation(const Declared& declared, NodeId var, NodeId extent, DType element,
                       std::string_view device) {
    blocks_.open({.kind = BlockKind::allocate,
                  .begin = declared.begin,
                  .name = declared.name,
                  .device = device});
    blocks_.add_scope(Kind::Allocate, {var, element, builder().list({extent}), make().boolean(1),
                                       NodeId::none, make().no_entries()});
  }

  /// `void* x = TVMBackendAllocWorkspace(1, device, (uint64_t)bytes, code, bits);` and its check.
  bool declare_workspace(const Declared& declared) {
    if (!cursor_.at_word(kAllocate)) return false;
    if (!declared.pointee.is_void() || !declared.dtype.is_handle()) {
      cursor_.fail("an allocation that is not a 'void*'");
    }
    cursor_.advance();
    if (!cursor_.accept_form("(1, $,", words_)) cursor_.fail("expected the CPU as device");
    const std::string_view device = words_[0];
    const NodeId bytes = exprs_.expression();
    if (!cursor_.accept_form(", $, $);", words_)) cursor_.fail("expected code and bits of a type");
    const auto type = dtype_of(cursor_.number_of(words_[0]), cursor_.number_of(words_[1]), 1);
    if (!type || type->is_void()) cursor_.fail("an allocation of an unknown type");
    const DType element = *type;
    if (cursor_.accept_form(kAllocationCheck, words_)) {
      if (words_[0] != declared.name) cursor_.fail("expected the check of an allocation");
      pass_return_error();
    }
    const Node size = node(bytes);
    // The element type is a hint for the allocator. TVM uses the dtype of the Allocate.
    const auto width = static_cast<std::int64_t>(std::max<std::size_t>(element.element_bytes(), 1));
    if (!size.is(Kind::IntImm)) cursor_.fail("an allocation whose size is not a constant");
    const std::int64_t count = size.integer(f::IntImm::value) / width;
    // A small allocation with the default scope would be an array.
    const bool is_workspace = declared.name.starts_with("sid_") || count * width < kWorkspaceBytes;
    const std::string_view scope = is_workspace ? "global.workspace" : "global";
    const NodeId var = make().var(declared.name, make().pointer_to(element, scope));
    context_.define(declared.name, {BindingKind::variable, DType::Void(), var});
    context_.buffers.set_bytes(var, count * width);
    const DType index = DType::Int(count > INT32_MAX ? 64 : 32);
    open_allocation(declared, var, context_.operators.integer(index, count), element, device);
    return true;
  }

  /// In the order in which they can be distinguished: workspaces, areas of the stack and
  /// temporaries by their form, the prologue by the arguments that it reads; everything else is a
  /// let.
  void declare_value(const Declared& declared) {
    if (declare_workspace(declared)) return;
    if (packed_calls_.declare_area(declared.name)) return;
    const NodeId value = exprs_.expression();
    cursor_.expect(";");
    exprs_.require_type(value, declared.dtype);
    if (checked_status(declared, value)) return;
    if (is_temp_name(declared.name)) {
      return context_.define(declared.name, {BindingKind::temporary, DType::Void(), value});
    }
    // The prologue has no statement in the IR: it belongs to the signature.
    if (params_.take(declared.name, declared.dtype, value)) return;
    let(declared, declared.dtype.is_handle() ? place_in_pool(value) : value);
  }

  /// `void* x = pool;`, as people write the address of the first byte of a pool.
  NodeId place_in_pool(NodeId value) {
    const Node pool = node(value);
    if (!pool.is(Kind::Var) || pool_name(pool.text(f::Var::name)).empty()) return value;
    const NodeId bytes = context_.buffers.of(value, DType::UInt(8));
    const NodeId first =
        context_.operators.load(bytes, context_.operators.integer(DType::Int(32), 0));
    return context_.operators.call("tir.address_of", DType::Handle(), std::array{first});
  }

  /// A name for an address: from here on, the memory is accessed under another name.
  void note_pointer(NodeId value) {
    Node pointer = node(value);
    while (pointer.is(Kind::Cast)) pointer = pointer[f::Cast::value];
    if (is_call_of(pointer, "tir.address_of")) pointer = pointer.list(f::Call::args)[0];
    if (pointer.is(Kind::BufferLoad)) pointer = pointer[f::BufferLoad::buffer][f::Buffer::data];
    if (pointer.is(Kind::Var)) context_.buffers.set_into(pointer.id());
  }

  /// It has the range of its value, which decides between a division and a floor division.
  void let(const Declared& declared, NodeId value) {
    const NodeId var = make().var(declared.name, make().prim_type(declared.dtype));
    context_.define(declared.name, {BindingKind::variable, declared.pointee, var});
    context_.operators.limit(var, context_.operators.facts().of(value).range);
    if (declared.dtype.is_handle()) {
      untyped_lets_.push_back(var);
      note_pointer(value);
    } else if (node(value).is(Kind::Call)) {
      statuses_.insert(var);
      note_call(node(value));
    }
    blocks_.open({.kind = BlockKind::let, .begin = declared.begin});
    blocks_.add_scope(Kind::LetStmt, {var, value, NodeId::none});
  }

  // --- Assignments -------------------------------------------------------------------------------

  /// A store, a field of an argument on the stack, the value of a condval, or an expression alone.
  void assignment() {
    const std::uint32_t begin = cursor_.peek().begin;
    const Binding* const named = cursor_.at_name() ? context_.names.find(cursor_.text()) : nullptr;
    if (named != nullptr && named->kind == BindingKind::pending) {
      return set_pending(cursor_.text(cursor_.advance()));
    }
    const Operand place = exprs_.value();
    if (cursor_.accept(sign(";"))) {
      const NodeId value = exprs_.expr_of(place);
      note_layer(node(value));
      return blocks_.complete(builder().make(Kind::Evaluate, {value}), begin);
    }
    cursor_.expect("=");
    const NodeId value = exprs_.expression();
    cursor_.expect(";");
    store(place, value, begin);
  }

  /// `condval = …;`, the last statement of a branch.
  void set_pending(std::string_view name) {
    cursor_.expect("=");
    const NodeId value = exprs_.expression();
    cursor_.expect(";");
    blocks_.close_rest_of_block();
    Block& branch = blocks_.innermost();
    const bool is_branch =
        branch.kind == BlockKind::if_value || branch.kind == BlockKind::else_value;
    if (!is_branch || branch.name != name || branch.value != NodeId::none) {
      cursor_.fail(fmt::format("'{}' is set outside of its branches", name));
    }
    branch.value = value;
  }

  /// A store to the stack of arguments, or of the result of a packed function, belongs to a call or
  /// to `ret`, and is not a statement.
  void store(const Operand& place, NodeId value, std::uint32_t begin) {
    const Node target = node(exprs_.expr_of(place));
    if (target.is(Kind::Call)) {
      if (!set_field(target, value)) cursor_.fail("an assignment to something that is not a place");
      return;
    }
    if (!target.is(Kind::BufferLoad))
      cursor_.fail("an assignment to something that is not an element");
    const NodeId buffer = target[f::BufferLoad::buffer].id();
    const NodeId data = node(buffer)[f::Buffer::data].id();
    const NodeId index = target.list(f::BufferLoad::indices)[0].id();
    if (packed_calls_.is_area(data)) {
      blocks_.with_braces().stores_arguments = true;
      return packed_calls_.store(data, index, value);
    }
    if (params_.is_result_type(data)) return;
    if (params_.is_result(data)) {
      result_ = value;
      return;
    }
    exprs_.require_type(value, target.dtype());
    blocks_.complete(
        builder().make(Kind::BufferStore, {buffer, value, builder().list({index}), NodeId::none}),
        begin);
  }

  /// Only fields of tensors and values on the stack of arguments are set.
  bool set_field(Node place, NodeId value) {
    const Node op = place[f::Call::op];
    if (!op.is(Kind::Op) || op.text(f::Op::name) != "tir.tvm_struct_get") return false;
    const auto args = place.list(f::Call::args);
    if (!packed_calls_.is_area(args[0].id())) return false;
    blocks_.with_braces().stores_arguments = true;
    packed_calls_.set(args[0].id(), args[1].id(), args[2].integer(f::IntImm::value), value);
    return true;
  }

  text::ExprFactory& make() { return context_.make(); }
  Builder& builder() { return context_.builder(); }
  Node node(NodeId id) { return builder().node(id); }

  FunctionContext& context_;
  Cursor& cursor_;
  Params& params_;
  ExprReader exprs_;
  Blocks blocks_;
  PackedCallReader packed_calls_;
  UnknownStatements unknown_;
  std::vector<NodeId> untyped_lets_;  // `void*`: the element type follows from the uses
  std::vector<std::string_view> words_;
  std::string_view pending_;  // condval that the next `if` sets
  DType pending_type_{};
  std::optional<std::uint32_t> prepared_;  // start of the arguments of the next packed call
  std::set<NodeId> statuses_;              // variables that hold the result of a call
  NodeId result_ = NodeId::none;
  bool is_returned_ = false;
};

}  // namespace

NodeId read_body(FunctionContext& context, Params& params) {
  return BodyReader(context, params).read();
}

}  // namespace mlf::tir::c
