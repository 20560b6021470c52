#include "tir/c/external_text.h"

namespace mlf::tir::c {
namespace {

using enum CmsisArgument;

// --- Structs -------------------------------------------------------------------------------------

constexpr std::array kContextFields{context, context_bytes};
constexpr std::array kStrideFields{stride_width, stride_height};
constexpr std::array kPaddingFields{padding_width, padding_height};
constexpr std::array kDilationFields{dilation_width, dilation_height};
constexpr std::array kActivationFields{least, most};
constexpr std::array kConvolutionFields{input_offset, output_offset};
constexpr std::array kDepthwiseFields{input_offset, output_offset, depth_multiplier};
constexpr std::array kFullyConnectedFields{input_offset, filter_offset, output_offset};
constexpr std::array kPerChannelFields{multipliers, shifts};
constexpr std::array kPerTensorFields{multiplier, shift};
constexpr std::array kTableFields{exponentials, reciprocals};
constexpr std::array kInputDims{input_dims};
constexpr std::array kFilterDims{filter_dims};
constexpr std::array kBiasDims{bias_dims};
constexpr std::array kOutputDims{output_dims};

constexpr CmsisForm kContext{"cmsis_nn_context context= {$,$};", kContextFields};
constexpr CmsisForm kStride{"cmsis_nn_tile stride = {$,$};", kStrideFields};
constexpr CmsisForm kPadding{"cmsis_nn_tile padding = {$,$};", kPaddingFields};
constexpr CmsisForm kDilation{"cmsis_nn_tile dilation = {$,$};", kDilationFields};
constexpr CmsisForm kActivation{"cmsis_nn_activation activation = {$,$};", kActivationFields};
constexpr CmsisForm kPerChannel{"cmsis_nn_per_channel_quant_params quant_params = {$, $};",
                                kPerChannelFields};
constexpr CmsisForm kInput{"cmsis_nn_dims input_dims = {$,$,$,$};", kInputDims};
constexpr CmsisForm kFilter{"cmsis_nn_dims filter_dims = {$,$,$,$};", kFilterDims};
constexpr CmsisForm kBias{"cmsis_nn_dims bias_dims = {$,$,$,$};", kBiasDims};
constexpr CmsisForm kOutput{"cmsis_nn_dims output_dims = {$,$,$,$};", kOutputDims};

constexpr std::array kConvolutionStructs{
    kContext,
    kStride,
    kPadding,
    kDilation,
    kActivation,
    CmsisForm{"cmsis_nn_conv_params conv_params = {$, $, stride, padding, dilation, activation};",
              kConvolutionFields},
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
              kDepthwiseFields},
    kPerChannel,
    kInput,
    kFilter,
    kBias,
    kOutput};

constexpr std::array kFullyConnectedStructs{
    kContext,
    kActivation,
    CmsisForm{"cmsis_nn_fc_params fc_params = {$, $, $, activation};", kFullyConnectedFields},
    CmsisForm{"cmsis_nn_per_tensor_quant_params quant_params = {$, $};", kPerTensorFields},
    kInput,
    kFilter,
    kBias,
    kOutput};

constexpr std::array kPoolingStructs{
    kContext,
    kStride,
    kPadding,
    kActivation,
    CmsisForm{"cmsis_nn_pool_params pool_params = {stride, padding, activation};", {}},
    kInput,
    kFilter,
    kOutput};

constexpr std::array kTableSoftmaxStructs{
    CmsisForm{"cmsis_nn_softmax_lut_s16 softmax_params= {$, $};", kTableFields}};

// --- Calls ---------------------------------------------------------------------------------------

constexpr std::array kWeighted{input, filter, bias, output};
constexpr std::array kPooled{input, output};
constexpr std::array kNormalized{input, rows, row_size, multiplier, shift, output};

constexpr CmsisText kConvolution{
    kConvolutionStructs,
    {"&context, &conv_params, &quant_params, &input_dims, $, &filter_dims, $, &bias_dims, $, "
     "&output_dims, $",
     kWeighted}};
constexpr CmsisText kDepthwise{kDepthwiseStructs, kConvolution.passed};
constexpr CmsisText kFullyConnected{
    kFullyConnectedStructs,
    {"&context, &fc_params, &quant_params, &input_dims, $, &filter_dims, $, &bias_dims, $, "
     "&output_dims, $",
     kWeighted}};
constexpr CmsisText kPooling{
    kPoolingStructs,
    {"&context, &pool_params, &input_dims, $, &filter_dims, &output_dims, $", kPooled}};
constexpr CmsisText kTableSoftmax{kTableSoftmaxStructs,
                                  {"$, $, $, $, $, &softmax_params, $", kNormalized}};

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
