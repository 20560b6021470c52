#include "tir/c/external_text.h"

namespace mlf::tir::c {
namespace {

using enum CmsisArgument;

// --- Structs -------------------------------------------------------------------------------------

constexpr CmsisForm kContext{"cmsis_nn_context context= {$,$};", {context, context_bytes}};
constexpr CmsisForm kStride{"cmsis_nn_tile stride = {$,$};", {stride_width, stride_height}};
constexpr CmsisForm kPadding{"cmsis_nn_tile padding = {$,$};", {padding_width, padding_height}};
constexpr CmsisForm kDilation{"cmsis_nn_tile dilation = {$,$};", {dilation_width, dilation_height}};
constexpr CmsisForm kActivation{"cmsis_nn_activation activation = {$,$};", {least, most}};
constexpr CmsisForm kPerChannel{"cmsis_nn_per_channel_quant_params quant_params = {$, $};",
                                {multipliers, shifts}};
constexpr CmsisForm kInput{"cmsis_nn_dims input_dims = {$,$,$,$};", {input_dims}};
constexpr CmsisForm kFilter{"cmsis_nn_dims filter_dims = {$,$,$,$};", {filter_dims}};
constexpr CmsisForm kBias{"cmsis_nn_dims bias_dims = {$,$,$,$};", {bias_dims}};
constexpr CmsisForm kOutput{"cmsis_nn_dims output_dims = {$,$,$,$};", {output_dims}};

constexpr std::array kConvolutionStructs{
    kContext,
    kStride,
    kPadding,
    kDilation,
    kActivation,
    CmsisForm{"cmsis_nn_conv_params conv_params = {$, $, stride, padding, dilation, activation};",
              {input_offset, output_offset}},
    kPerChannel,
    kInput,
    kFilter,
    kBias,
    kOutput};

constexpr std::array kDepthwiseStructs{
    kContext,
    kStride,
    kPadding,
    kDilation,
    kActivation,
    CmsisForm{"cmsis_nn_dw_conv_params conv_params = {$, $, $, stride, padding, dilation, "
              "activation};",
              {input_offset, output_offset, depth_multiplier}},
    kPerChannel,
    kInput,
    kFilter,
    kBias,
    kOutput};

constexpr std::array kFullyConnectedStructs{
    kContext,
    kActivation,
    CmsisForm{"cmsis_nn_fc_params fc_params = {$, $, $, activation};",
              {input_offset, filter_offset, output_offset}},
    CmsisForm{"cmsis_nn_per_tensor_quant_params quant_params = {$, $};", {multiplier, shift}},
    kInput,
    kFilter,
    kBias,
    kOutput};

constexpr std::array kPoolingStructs{
    kContext,
    kStride,
    kPadding,
    kActivation,
    CmsisForm{"cmsis_nn_pool_params pool_params = {stride, padding, activation};"},
    kInput,
    kFilter,
    kOutput};

constexpr std::array kTableSoftmaxStructs{
    CmsisForm{"cmsis_nn_softmax_lut_s16 softmax_params= {$, $};", {exponentials, reciprocals}}};

// --- Calls ---------------------------------------------------------------------------------------

constexpr CmsisText kConvolution{
    kConvolutionStructs,
    {"&context, &conv_params, &quant_params, &input_dims, $, &filter_dims, $, &bias_dims, $, "
     "&output_dims, $",
     {input, filter, bias, output}}};
constexpr CmsisText kDepthwise{kDepthwiseStructs, kConvolution.passed};
constexpr CmsisText kFullyConnected{
    kFullyConnectedStructs,
    {"&context, &fc_params, &quant_params, &input_dims, $, &filter_dims, $, &bias_dims, $, "
     "&output_dims, $",
     {input, filter, bias, output}}};
constexpr CmsisText kPooling{
    kPoolingStructs,
    {"&context, &pool_params, &input_dims, $, &filter_dims, &output_dims, $", {input, output}}};
constexpr CmsisText kTableSoftmax{
    kTableSoftmaxStructs,
    {"$, $, $, $, $, &softmax_params, $", {input, rows, row_size, multiplier, shift, output}}};

// --- Tests of the status -------------------------------------------------------------------------

constexpr std::array<std::string_view, 3> kMathComparison{"if (status != ARM_MATH_SUCCESS) {",
                                                          "  return -1;", "}"};
constexpr std::array<std::string_view, 3> kComparison{"if (status != ARM_CMSIS_NN_SUCCESS) {",
                                                      "  return -1;", "}"};
constexpr std::array<std::string_view, 5> kSwitch{
    "switch (!status) {", "case ARM_CMSIS_NN_SUCCESS: break;",
    "case ARM_CMSIS_NN_ARG_ERROR: return -1;", "case ARM_CMSIS_NN_NO_IMPL_ERROR: return -1;", "}"};
constexpr std::array<std::string_view, 5> kSwitchWithMessages{
    "switch (!status) {", "case ARM_CMSIS_NN_SUCCESS: break;",
    "case ARM_CMSIS_NN_ARG_ERROR: TVMAPISetLastError(\"ARM_CMSIS_NN_ARG_ERROR\"); return -1;",
    "case ARM_CMSIS_NN_NO_IMPL_ERROR: TVMAPISetLastError(\"ARM_CMSIS_NN_NO_IMPL_ERROR\"); "
    "return -1;",
    "}"};

constexpr std::string_view kStatus = "arm_cmsis_nn_status";
constexpr std::array kTests{
    CmsisStatusTest{"arm_status", kMathComparison}, CmsisStatusTest{kStatus, kComparison},
    CmsisStatusTest{kStatus, kSwitch}, CmsisStatusTest{kStatus, kSwitchWithMessages}};

}  // namespace

const CmsisText* cmsis_text_of(CmsisLayer layer) {
  constexpr const CmsisText* kByLayer[] = {&kConvolution, &kDepthwise, &kFullyConnected,
                                           &kPooling,     nullptr,     &kTableSoftmax,
                                           nullptr,       nullptr};
  return kByLayer[static_cast<std::size_t>(layer)];
}

std::span<const CmsisStatusTest> cmsis_status_tests() {
  return kTests;
}

}  // namespace mlf::tir::c
