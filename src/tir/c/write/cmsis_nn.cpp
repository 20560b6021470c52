// The inverse of read/cmsis_nn.cpp. Source: TVM's CMSIS-NN code generator, tir_to_runtime.cc.
#include "tir/c/write/cmsis_nn.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <array>

#include "tir/c/write/spelling.h"

namespace mlf::tir::c {
namespace {

constexpr std::string_view kConvolution = "arm_convolve_wrapper_s8";
constexpr std::string_view kDepthwise = "arm_depthwise_conv_wrapper_s8";
constexpr std::array<std::string_view, 2> kPoolings = {"arm_avgpool_s8", "arm_max_pool_s8"};
constexpr std::size_t kPoolingArguments = 23;
// Without a bias: name and five pointers, context, offsets, pairs, multiplier, four shapes.
constexpr std::size_t kConvolutionArguments = 35;
constexpr std::string_view kNoContext = "NULL";

bool is_pooling(std::string_view function) {
  return function == kPoolings[0] || function == kPoolings[1];
}

class LayerWriter {
 public:
  LayerWriter(Code& code, ExprWriter& exprs, const Forms& forms, Node call)
      : code_(code), exprs_(exprs), forms_(forms), args_(call.list(f::Call::args)) {}

  void convolution();
  void pooling();

 private:
  std::string_view function() const { return args_[0].text(f::StringImm::value); }
  std::string next() { return exprs_(args_[at_++]); }
  std::pair<std::string, std::string> next_pair() {
    std::string first = next();
    return {std::move(first), next()};
  }
  void context();
  void dims(std::string_view name);
  void test_status(std::string_view passed);

  Code& code_;
  ExprWriter& exprs_;
  const Forms& forms_;
  NodeList args_;
  std::size_t at_ = 1;
};

/// `cmsis_nn_context context= {buffer,144};`
void LayerWriter::context() {
  const Node buffer = args_[at_++];
  const std::string name =
      buffer.is(Kind::StringImm) ? std::string(buffer.text(f::StringImm::value)) : exprs_(buffer);
  code_.line("cmsis_nn_context context= {{{},{}}};", name, next());
}

/// Sizes of one tensor: n, h, w, c.
void LayerWriter::dims(std::string_view name) {
  std::array<std::string, 4> sizes;
  for (std::string& size : sizes) size = next();
  code_.line("cmsis_nn_dims {} = {{{}}};", name, fmt::join(sizes, ","));
}

/// The arguments of call_extern in their order, as they fill the structs. Only a depthwise
/// convolution has a multiplier of its channels; the others pass -1, which is not printed.
void LayerWriter::convolution() {
  const bool has_bias = args_.size() == kConvolutionArguments + 1;
  const bool is_depthwise = function() == kDepthwise;
  const std::string input = next();
  const std::string filter = next();
  const std::string multiplier = next();
  const std::string bias = has_bias ? next() : std::string(kNoContext);
  const std::string shift = next();
  const std::string output = next();
  context();
  const auto [input_offset, output_offset] = next_pair();
  for (const std::string_view tile : {"stride", "padding", "dilation"}) {
    const auto [w, h] = next_pair();
    code_.line("cmsis_nn_tile {} = {{{},{}}};", tile, w, h);
  }
  const auto [least, most] = next_pair();
  code_.line("cmsis_nn_activation activation = {{{},{}}};", least, most);
  const std::string multiplier_of_depth = next();
  code_.line(
      "cmsis_nn_{}conv_params conv_params = {{{}, {}{}, stride, padding, dilation, activation}};",
      is_depthwise ? "dw_" : "", input_offset, output_offset,
      is_depthwise ? ", " + multiplier_of_depth : "");
  code_.line("cmsis_nn_per_channel_quant_params quant_params = {{{}, {}}};", multiplier, shift);
  for (const std::string_view name : {"input_dims", "filter_dims", "bias_dims", "output_dims"}) {
    dims(name);
  }
  test_status(
      fmt::format("&context, &conv_params, &quant_params, &input_dims, {}, &filter_dims, "
                  "{}, &bias_dims, {}, &output_dims, {}",
                  input, filter, bias, output));
}

/// Strides and paddings are h, w in the call and printed as w, h.
void LayerWriter::pooling() {
  const std::string input = next();
  const std::string output = next();
  context();
  for (const std::string_view tile : {"stride", "padding"}) {
    const auto [h, w] = next_pair();
    code_.line("cmsis_nn_tile {} = {{{},{}}};", tile, w, h);
  }
  const auto [least, most] = next_pair();
  code_.line("cmsis_nn_activation activation = {{{},{}}};", least, most);
  code_.line("cmsis_nn_pool_params pool_params = {{stride, padding, activation}};");
  for (const std::string_view name : {"input_dims", "filter_dims", "output_dims"}) dims(name);
  test_status(fmt::format("&context, &pool_params, &input_dims, {}, &filter_dims, &output_dims, {}",
                          input, output));
}

/// A comparison up to v0.11, then a switch over the codes of CMSIS-NN.
void LayerWriter::test_status(std::string_view passed) {
  const bool has_old_type = forms_.has(TvmFeature::c_cmsis_math_status);
  code_.line("{} status = {}({});", has_old_type ? "arm_status" : "arm_cmsis_nn_status", function(),
             passed);
  if (forms_.has(TvmFeature::c_cmsis_status_switch)) {
    for (const std::string_view row : {"switch (!status) {", "case ARM_CMSIS_NN_SUCCESS: break;",
                                       "case ARM_CMSIS_NN_ARG_ERROR: return -1;",
                                       "case ARM_CMSIS_NN_NO_IMPL_ERROR: return -1;", "}"}) {
      code_.plain_line(row);
    }
    return;
  }
  code_.line("if (status != {}) {{", has_old_type ? "ARM_MATH_SUCCESS" : "ARM_CMSIS_NN_SUCCESS");
  const auto scope = code_.begin_scope();
  code_.line("return -1;");
  code_.end_scope(scope);
  code_.line("}}");
}

}  // namespace

/// By name and number of arguments: other functions of CMSIS-NN are printed as plain calls.
bool is_cmsis_layer(Node call) {
  if (!is_call_of(call, "tir.call_extern")) return false;
  const NodeList args = call.list(f::Call::args);
  if (args.empty() || !args[0].is(Kind::StringImm)) return false;
  const std::string_view function = args[0].text(f::StringImm::value);
  if (is_pooling(function)) return args.size() == kPoolingArguments;
  const bool is_convolution = function == kConvolution || function == kDepthwise;
  return is_convolution &&
         (args.size() == kConvolutionArguments || args.size() == kConvolutionArguments + 1);
}

void write_cmsis_layer(Code& code, ExprWriter& exprs, const Forms& forms, Node call) {
  LayerWriter writer(code, exprs, forms, call);
  const std::string_view function = call.list(f::Call::args)[0].text(f::StringImm::value);
  is_pooling(function) ? writer.pooling() : writer.convolution();
}

}  // namespace mlf::tir::c
