// Addresses and sizes are taken out of the arrays again, and are arguments of the call.
#include "tir/c/read/ethos_u.h"

#include <fmt/core.h>

#include <array>
#include <string>
#include <utility>

#include "tir/c/ethos_u_text.h"
#include "tir/ethos_u.h"

namespace mlf::tir::c {
namespace {

constexpr std::string_view kWeightsSuffix = "_weights";
constexpr std::string_view kScope = "global.workspace";

/// The words of a line with blanks between them, as `Cursor::looks_like` wants them.
std::string form_of(std::string_view line) {
  std::string form;
  for (const Token& token : tokenize(line, 0, static_cast<std::uint32_t>(line.size()))) {
    if (token.kind == TokenKind::end) continue;
    if (!form.empty()) form += ' ';
    form += line.substr(token.begin, token.end - token.begin);
  }
  return form;
}

}  // namespace

bool EthosUReader::at_launch() const {
  return cursor_.looks_like(form_of(kEthosUHead[0]));
}

/// The names and numbers in the place of each `$`.
std::vector<std::string_view> EthosUReader::pass(std::string_view line) {
  std::vector<std::string_view> words;
  if (!cursor_.accept_form(form_of(line), words)) cursor_.fail(fmt::format("expected '{}'", line));
  return words;
}

NodeId EthosUReader::launch() {
  args_ = {context_.make().string_imm(kEthosULaunch), NodeId::none};
  allocation_.reset();
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
  args_[1] = memory(pass(kEthosULaunchLine)[0]);
  if (allocation_ && pass(kEthosURelease)[0] != allocation_->name) {
    cursor_.fail("the release of another workspace");
  }
  pass(kEthosUReturn);
  const std::array result = {context_.operators.call("tir.call_extern", DType::Int(32), args_)};
  const NodeId returned = context_.operators.call("tir.ret", DType::Int(32), result);
  context_.losses.add(LossCode::npu_commands);
  return allocated(context_.builder().make(Kind::Evaluate, {returned}));
}

/// TVM makes one workspace for all that the memory planner left.
bool EthosUReader::pass_allocation() {
  std::vector<std::string_view> words;
  if (!cursor_.accept_form(form_of(kEthosUAllocation), words)) return false;
  if (allocation_) cursor_.fail("a second workspace");
  text::ExprFactory& make = context_.make();
  allocation_ = {words[0],
                 make.var(words[0], make.pointer_type(make.prim_type(DType::Int(8)), kScope)),
                 cursor_.number_of(words[1])};
  context_.define(allocation_->name, {Binding::Kind::variable, DType::Int(8), allocation_->var});
  context_.buffers.set_bytes(allocation_->var, allocation_->bytes);
  return true;
}

void EthosUReader::pass_address() {
  const auto address = pass(kEthosUAddress[0]);
  const auto size = pass(kEthosUAddress[1]);
  if (address[0] != size[0]) cursor_.fail("address and size are of different regions");
  const std::int64_t bytes = cursor_.number_of(size[1]);
  const bool is_missing = bytes == 0 && address[1].ends_with(kWeightsSuffix) &&
                          context_.names.find(address[1]) == nullptr;
  add_number(DType::Int(32), cursor_.number_of(address[0]));
  args_.push_back(is_missing ? context_.make().string_imm(kNoEthosUMemory) : memory(address[1]));
  add_number(DType::Int(64), bytes);
  // A pool has no size of its own here.
  if (bytes > 0) context_.buffers.suggest_bytes(args_[args_.size() - 2], bytes);
}

NodeId EthosUReader::memory(std::string_view name) {
  const auto found = exprs_.memory(name);
  if (!found) cursor_.fail(fmt::format("unknown name '{}'", name));
  return *found;
}

void EthosUReader::add_number(DType dtype, std::int64_t number) {
  args_.push_back(context_.operators.integer(dtype, number));
}

NodeId EthosUReader::allocated(NodeId body) {
  if (!allocation_) return body;
  Builder& builder = context_.builder();
  const std::array extent = {context_.operators.integer(DType::Int(64), allocation_->bytes)};
  return builder.make(Kind::Allocate, {allocation_->var, DType::Int(8), builder.list(extent),
                                       context_.make().boolean(1), body,
                                       builder.map(std::span<const NamedNode>())});
}

}  // namespace mlf::tir::c
