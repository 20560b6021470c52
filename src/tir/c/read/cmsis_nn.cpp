// TVM prints calls of CMSIS-NN with their scalar arguments put into structs: they are taken out
// again, in the order of the arguments of call_extern. Source: TVM's CMSIS-NN code generator.
#include "tir/c/read/cmsis_nn.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace mlf::tir::c {
namespace {

constexpr std::string_view kStructPrefix = "cmsis_nn_";
constexpr std::string_view kDepthwise = "cmsis_nn_dw_conv_params";
constexpr std::string_view kStatusTest = "if ( $ != $ ) { return - 1 ; }";
constexpr std::string_view kStatusSwitch = "switch ( ! status ) {";
constexpr std::array<std::string_view, 2> kStatusTypes = {"arm_status", "arm_cmsis_nn_status"};
// What the IR passes where there is no buffer for the context.
constexpr std::string_view kNoContext = "NULL";
constexpr std::int64_t kNoMultiplier = -1;

}  // namespace

/// `cmsis_nn_tile stride = {1,1};`
bool CmsisReader::structure() {
  if (!cursor_.at_name() || !cursor_.text().starts_with(kStructPrefix)) return false;
  Struct read{.type = cursor_.text(), .values = {}, .names = {}};
  cursor_.advance();
  const std::string_view name = cursor_.expect_name("the name of a struct");
  cursor_.expect("=");
  cursor_.expect("{");
  while (!cursor_.at(sign("}"))) {
    if (!read.values.empty()) cursor_.expect(",");
    const bool is_negative = cursor_.accept(sign("-"));
    const Token token = cursor_.advance();
    const std::string_view text = cursor_.text(token);
    read.names.push_back(text);
    const auto number = decimal(text);
    const bool is_number = number && std::in_range<std::int32_t>(*number);
    if (!is_number && (is_negative || token.kind != TokenKind::name)) {
      cursor_.fail(token, "expected a number or a name");
    }
    read.values.push_back(is_number ? context_.make().int32(is_negative ? -*number : *number)
                                    : NodeId::none);
  }
  cursor_.advance();
  cursor_.expect(";");
  structs_[name] = std::move(read);
  return true;
}

/// v0.9 calls the type of the status arm_status, later versions arm_cmsis_nn_status. Of the layers
/// with structs, convolutions and poolings are read.
std::optional<NodeId> CmsisReader::call() {
  if (!cursor_.at_name() || std::ranges::find(kStatusTypes, cursor_.text()) == kStatusTypes.end()) {
    return std::nullopt;
  }
  std::vector<std::string_view> words;
  cursor_.advance();
  if (!cursor_.accept_form("status = $ (", words)) cursor_.fail("expected 'status = f(…);'");
  const std::string_view function = words[0];
  const Token at = cursor_.peek();
  const std::vector<std::string_view> passed = arguments();
  pass_status_test();
  if (structs_.contains("conv_params")) return convolution(function, passed);
  if (structs_.contains("pool_params")) return pooling(function, passed);
  cursor_.fail(at, fmt::format("the arguments of '{}' are not known", function));
}

/// Names up to `);`, references to structs among them.
std::vector<std::string_view> CmsisReader::arguments() {
  std::vector<std::string_view> names;
  while (!cursor_.at(sign(")"))) {
    if (!names.empty()) cursor_.expect(",");
    cursor_.accept(sign("&"));
    names.push_back(cursor_.expect_name("an argument"));
  }
  cursor_.advance();
  cursor_.expect(";");
  return names;
}

/// `if (status != ARM_MATH_SUCCESS) {…}` up to v0.11, then a switch.
void CmsisReader::pass_status_test() {
  std::vector<std::string_view> words;
  if (cursor_.accept_form(kStatusTest, words)) return;
  if (!cursor_.accept_form(kStatusSwitch, words)) cursor_.fail("expected a test of the status");
  while (!cursor_.accept(sign("}"))) {
    if (cursor_.at_end()) cursor_.fail("a switch without end");
    cursor_.advance();
  }
}

const CmsisReader::Struct& CmsisReader::find(std::string_view name) {
  const auto found = structs_.find(name);
  if (found == structs_.end()) cursor_.fail(fmt::format("no struct '{}'", name));
  return found->second;
}

/// A number in a struct.
NodeId CmsisReader::value(const Struct& owner, std::size_t position) {
  if (position >= owner.values.size() || owner.values[position] == NodeId::none) {
    cursor_.fail(fmt::format("a '{}' without its numbers", owner.type));
  }
  return owner.values[position];
}

NodeId CmsisReader::variable(std::string_view name) {
  const Binding* const found = context_.names.find(name);
  if (found == nullptr || found->node == NodeId::none) {
    cursor_.fail(fmt::format("unknown name '{}'", name));
  }
  return found->node;
}

/// `{buffer, size}`, or `{NULL, 0}` of a layer that needs none.
void CmsisReader::add_context(Args& args) {
  const Struct& buffer = find("context");
  if (buffer.names.size() != 2) cursor_.fail("a context without buffer and size");
  const bool is_none = buffer.names[0] == kNoContext;
  args.push_back(is_none ? context_.make().string_imm(kNoContext) : variable(buffer.names[0]));
  args.push_back(value(buffer, 1));
}

/// The two numbers of the struct that `owner` names.
void CmsisReader::add_pair(Args& args, const Struct& owner, std::size_t position, PairOrder order) {
  if (position >= owner.names.size()) cursor_.fail("parameters without all their parts");
  const Struct& pair = find(owner.names[position]);
  const bool is_swapped = order == PairOrder::swapped;
  args.push_back(value(pair, is_swapped ? 1 : 0));
  args.push_back(value(pair, is_swapped ? 0 : 1));
}

/// The four sizes of `cmsis_nn_dims`: n, h, w, c.
void CmsisReader::add_all(Args& args, std::string_view name) {
  const Struct& dims = find(name);
  for (std::size_t i = 0; i < dims.values.size(); ++i) args.push_back(value(dims, i));
}

/// The result is an int8 in the IR, and not stated in C.
NodeId CmsisReader::external(const Args& args) {
  context_.losses.add(LossCode::call_dtype);
  return context_.operators.call("tir.call_extern", DType::Int(8), args);
}

/// f(&context, &params, &quant_params, &input_dims, input, &filter_dims, filter, &bias_dims, bias,
///   &output_dims, output)
NodeId CmsisReader::convolution(std::string_view function,
                                const std::vector<std::string_view>& passed) {
  if (passed.size() != 11) cursor_.fail("a convolution of another number of arguments");
  const Struct& params = find("conv_params");
  const Struct& quantisation = find("quant_params");
  if (quantisation.names.size() != 2) cursor_.fail("a quantisation without its two arrays");
  const bool is_depthwise = params.type == kDepthwise;
  // The multiplier comes before stride, padding, dilation and activation.
  const std::size_t first = is_depthwise ? 3 : 2;
  Args args = {context_.make().string_imm(function), variable(passed[4]), variable(passed[6]),
               variable(quantisation.names[0])};
  if (passed[8] != kNoContext) args.push_back(variable(passed[8]));
  args.push_back(variable(quantisation.names[1]));
  args.push_back(variable(passed[10]));
  add_context(args);
  args.push_back(value(params, 0));
  args.push_back(value(params, 1));
  for (std::size_t i = 0; i < 4; ++i) add_pair(args, params, first + i, PairOrder::as_printed);
  args.push_back(is_depthwise ? value(params, 2) : context_.make().int32(kNoMultiplier));
  for (const std::size_t dims : {3u, 5u, 7u, 9u}) add_all(args, passed[dims]);
  return external(args);
}

/// f(&context, &params, &input_dims, input, &filter_dims, &output_dims, output)
NodeId CmsisReader::pooling(std::string_view function,
                            const std::vector<std::string_view>& passed) {
  if (passed.size() != 7) cursor_.fail("a pooling of another number of arguments");
  const Struct& params = find("pool_params");
  Args args = {context_.make().string_imm(function), variable(passed[3]), variable(passed[6])};
  add_context(args);
  add_pair(args, params, 0, PairOrder::swapped);
  add_pair(args, params, 1, PairOrder::swapped);
  add_pair(args, params, 2, PairOrder::as_printed);
  for (const std::size_t dims : {2u, 4u, 5u}) add_all(args, passed[dims]);
  return external(args);
}

}  // namespace mlf::tir::c
