// TVM puts the arguments of these calls into structs and arrays. This code collects them in the
// order of call_extern's arguments.
#include "tir/c/read/expressions.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tir/c/external_text.h"
#include "tir/ethos_u.h"

namespace mlf::tir::c {
namespace {

constexpr std::string_view kStructPrefix = "cmsis_nn_";
constexpr std::string_view kCall = "status = $(";
constexpr std::string_view kWeightsSuffix = "_weights";
constexpr std::string_view kScope = "global.workspace";

class CmsisReader {
 public:
  CmsisReader(FunctionContext& context, ExprReader& exprs)
      : context_(context), cursor_(context.cursor), exprs_(exprs) {}

  /// From the first struct to the test of the status.
  NodeId layer() {
    const CmsisFunction& function = called_function();
    const CmsisText* const text = cmsis_text_of(function.layer);
    if (text == nullptr) cursor_.fail(fmt::format("'{}' takes no structs", function.name));
    for (const CmsisForm& form : text->structs) pass(form);
    pass_call(function, *text);

    std::vector<NodeId> args = {context_.make().string_imm(function.name)};
    for (const CmsisArgument what : arguments_of(function.layer)) {
      std::vector<NodeId>& values = values_[static_cast<std::size_t>(what)];
      // The generator does not print it.
      if (values.empty() && what == CmsisArgument::depth_multiplier) {
        values = {context_.make().int32(kNoDepthMultiplier)};
      }
      args.insert(args.end(), values.begin(), values.end());
    }
    // In the IR the result has this type, which C does not state.
    context_.losses.add(LossCode::call_dtype);
    return context_.operators.call("tir.call_extern", function.result, args);
  }

 private:
  /// The function of the next call: each layer has its own structs.
  const CmsisFunction& called_function() const {
    // More tokens than any layer's structs have.
    constexpr std::size_t kMost = 256;
    std::size_t ahead = 0;
    while (ahead < kMost && !cursor_.at_word("status", ahead)) ++ahead;
    const bool is_call = cursor_.at(sign("="), ahead + 1) && cursor_.at_name(ahead + 2);
    if (!is_call) cursor_.fail("a struct of CMSIS-NN without a call behind it");
    const std::string_view name = cursor_.text(ahead + 2);
    const CmsisFunction* const function = find_cmsis_function(name);
    if (function == nullptr) {
      cursor_.fail(cursor_.peek(ahead + 2),
                   fmt::format("the arguments of '{}' are not known", name));
    }
    return *function;
  }

  /// Matches the form and keeps the argument at each `$`.
  void pass(const CmsisForm& form) {
    const CmsisArgument* what = form.arguments.data();
    cursor_.expect_form(form.text, [&] {
      std::vector<NodeId>& values = values_[static_cast<std::size_t>(*what)];
      const NodeId read = value(*what);
      if (read != NodeId::none) values.push_back(read);
      const bool is_whole = read == NodeId::none || values.size() == width_of(*what);
      if (is_whole) ++what;
    });
  }

  /// `arm_cmsis_nn_status status = f(…);` and its test.
  void pass_call(const CmsisFunction& function, const CmsisText& text) {
    const std::string_view type = cursor_.expect_name("the type of a status");
    std::vector<std::string_view> words;
    if (!cursor_.accept_form(kCall, words) || words[0] != function.name) {
      cursor_.fail(fmt::format("expected 'status = {}('", function.name));
    }
    pass(text.passed);
    cursor_.expect_form(");");
    for (const CmsisStatusTest& test : cmsis_status_tests()) {
      const std::string form = fmt::format("{}", fmt::join(test.lines, " "));
      if (test.type == type && cursor_.accept_form(form, words)) return;
    }
    cursor_.fail("expected the test of a status");
  }

  /// The argument at a `$`; nullopt for a layer without a bias.
  NodeId value(CmsisArgument what) {
    if (!is_memory(what)) return number();
    const bool may_be_none = what == CmsisArgument::context || what == CmsisArgument::bias;
    if (!may_be_none || !cursor_.accept_word(kNoCmsisContext)) {
      return exprs_.memory(cursor_.expect_name("a variable"));
    }
    return what == CmsisArgument::context ? context_.make().string_imm(kNoCmsisContext)
                                          : NodeId::none;
  }

  NodeId number() {
    const bool is_negative = cursor_.accept(sign("-"));
    const Token token = cursor_.advance();
    const auto number = decimal(cursor_.text(token));
    const std::int64_t value = number ? (is_negative ? -*number : *number) : 0;
    if (!number || !std::in_range<std::int32_t>(value)) cursor_.fail(token, "expected a number");
    return context_.make().int32(value);
  }

  FunctionContext& context_;
  Cursor& cursor_;
  ExprReader& exprs_;
  std::array<std::vector<NodeId>, kCmsisArguments> values_{};
};

// --- Functions for Arm's Ethos-U -----------------------------------------------------------------

class EthosUReader {
 public:
  EthosUReader(FunctionContext& context, ExprReader& exprs)
      : context_(context), cursor_(context.cursor), exprs_(exprs) {}

  NodeId launch() {
    args_ = {context_.make().string_imm(kEthosULaunch), NodeId::none};
    const std::string_view commands = pass(kEthosUHead[0])[0];
    if (pass(kEthosUHead[1])[0] != commands) cursor_.fail("the size of another array");
    pass(kEthosUHead[2]);
    pass(kEthosUHead[3]);
    const auto array = context_.module.facts.array_by_name.find(commands);
    if (array == context_.module.facts.array_by_name.end()) {
      cursor_.fail(fmt::format("the commands '{}' are not known", commands));
    }
    args_.push_back(exprs_.constant(array->second));
    add_number(DType::Int(64),
               static_cast<std::int64_t>(context_.module.facts.arrays[array->second].count));
    while (pass_allocation() || cursor_.at_word("base_addrs")) pass_address();
    args_[1] = exprs_.memory(pass(kEthosULaunchLine)[0]);
    if (allocation_ && pass(kEthosURelease)[0] != allocation_->name) {
      cursor_.fail("the release of another workspace");
    }
    pass(kEthosUReturn);
    const std::array result = {context_.operators.call("tir.call_extern", DType::Int(32), args_)};
    const NodeId returned = context_.operators.call("tir.ret", DType::Int(32), result);
    context_.losses.add(LossCode::npu_commands);
    return allocated(context_.builder().make(Kind::Evaluate, {returned}));
  }

 private:
  struct Allocation {
    std::string_view name{};
    NodeId var = NodeId::none;
    std::int64_t bytes = 0;
  };

  /// The names and numbers at each `$`.
  std::vector<std::string_view> pass(std::string_view line) {
    std::vector<std::string_view> words;
    if (!cursor_.accept_form(line, words)) cursor_.fail(fmt::format("expected '{}'", line));
    return words;
  }

  /// TVM makes one workspace for the memory that its planner left.
  bool pass_allocation() {
    std::vector<std::string_view> words;
    if (!cursor_.accept_form(kEthosUAllocation, words)) return false;
    if (allocation_) cursor_.fail("a second workspace");
    text::ExprFactory& make = context_.make();
    allocation_ = {words[0], make.var(words[0], make.pointer_to(DType::Int(8), kScope)),
                   cursor_.number_of(words[1])};
    context_.define(allocation_->name, {BindingKind::variable, DType::Int(8), allocation_->var});
    context_.buffers.set_bytes(allocation_->var, allocation_->bytes);
    return true;
  }

  void pass_address() {
    const auto address = pass(kEthosUAddress[0]);
    const auto size = pass(kEthosUAddress[1]);
    if (address[0] != size[0]) cursor_.fail("address and size are of different regions");
    const std::int64_t bytes = cursor_.number_of(size[1]);
    const bool is_missing = bytes == 0 && address[1].ends_with(kWeightsSuffix) &&
                            context_.names.find(address[1]) == nullptr;
    add_number(DType::Int(32), cursor_.number_of(address[0]));
    args_.push_back(is_missing ? context_.make().string_imm(kNoEthosUMemory)
                               : exprs_.memory(address[1]));
    add_number(DType::Int(64), bytes);
    // C does not state the size of a pool here.
    if (bytes > 0) context_.buffers.suggest_bytes(args_[args_.size() - 2], bytes);
  }

  void add_number(DType dtype, std::int64_t number) {
    args_.push_back(context_.operators.integer(dtype, number));
  }

  NodeId allocated(NodeId body) {
    if (!allocation_) return body;
    const std::array extent = {context_.operators.integer(DType::Int(64), allocation_->bytes)};
    return context_.make().allocation(allocation_->var, DType::Int(8), extent, body);
  }

  FunctionContext& context_;
  Cursor& cursor_;
  ExprReader& exprs_;
  std::vector<NodeId> args_{};  // of the call
  std::optional<Allocation> allocation_{};
};

}  // namespace

std::optional<NodeId> read_cmsis_layer(FunctionContext& context, ExprReader& exprs) {
  const Cursor& cursor = context.cursor;
  if (!cursor.at_name() || !cursor.text().starts_with(kStructPrefix)) return std::nullopt;
  return CmsisReader(context, exprs).layer();
}

std::optional<NodeId> read_ethos_u_launch(FunctionContext& context, ExprReader& exprs) {
  if (!context.cursor.looks_like(kEthosUHead[0])) return std::nullopt;
  return EthosUReader(context, exprs).launch();
}

}  // namespace mlf::tir::c
