// Kernels for CMSIS-NN: every call that TVM's code generator writes is read as one call_extern and
// printed again; what is not just so keeps its text.
#include <fmt/core.h>

#include "reading.h"
#include "tokens_of.h"

namespace mlf::tir::c {
namespace {

/// How a version begins its files, names the type of a status and tests it.
struct Style {
  std::string_view includes;
  std::string_view type;
  std::string_view test;
  VersionRange version;
};

constexpr std::string_view kOldIncludes = "#include <math.h>\n#include <arm_nnfunctions.h>\n";
constexpr std::string_view kIncludes =
    "#include <math.h>\n#include <stdbool.h>\n#include <arm_nnfunctions.h>\n";
constexpr std::string_view kComparison =
    "  if (status != ARM_CMSIS_NN_SUCCESS) {\n    return -1;\n  }\n";

const Style kV09{kOldIncludes,
                 "arm_status",
                 "  if (status != ARM_MATH_SUCCESS) {\n    return -1;\n  }\n",
                 {8, 9, ""}};
const Style kV11{kOldIncludes, "arm_cmsis_nn_status", kComparison, {10, 11, ""}};
const Style kV12Dev{kIncludes, "arm_cmsis_nn_status", kComparison, {12, 12, "0.12.dev0"}};
const Style kV12{kIncludes,
                 "arm_cmsis_nn_status",
                 "  switch (!status) {\n  case ARM_CMSIS_NN_SUCCESS: break;\n"
                 "  case ARM_CMSIS_NN_ARG_ERROR: return -1;\n"
                 "  case ARM_CMSIS_NN_NO_IMPL_ERROR: return -1;\n  }\n",
                 {12, 18, ""}};

/// A layer as it is printed, and the call that it is.
struct Layer {
  std::string params{};
  std::string structs{};
  std::string function{};
  std::string passed{};
  std::string arguments{};  ///< of call_extern, behind the name
};

std::string file_with(std::string_view body, const Style& style, const Layer& layer) {
  return fmt::format(
      "// tvm target: cmsis-nn \n#define TVM_EXPORTS\n"
      "#include \"tvm/runtime/c_runtime_api.h\"\n{}"
      "TVM_DLL int32_t tvmgen_default_cmsis_nn_main_0({}) {{\n{}  return 0;\n}}\n",
      style.includes, layer.params, body);
}

std::string body_of_layer(const Style& style, const Layer& layer) {
  return fmt::format("{}  {} status = {}({});\n{}", layer.structs, style.type, layer.function,
                     layer.passed, style.test);
}

std::string file_of(const Style& style, const Layer& layer) {
  return file_with(body_of_layer(style, layer), style, layer);
}

constexpr std::string_view kWindow =
    "  cmsis_nn_tile stride = {2,1};\n  cmsis_nn_tile padding = {1,0};\n";

Layer convolution(std::string_view function, std::string_view element, std::string_view sum) {
  return {.params = fmt::format("{0}* input_, int8_t* filter_, int32_t* multiplier_, {1}* bias_, "
                                "int32_t* shift_, {0}* output_",
                                element, sum),
          .structs = fmt::format(
              "  cmsis_nn_context context= {{NULL,0}};\n{}"
              "  cmsis_nn_tile dilation = {{1,1}};\n"
              "  cmsis_nn_activation activation = {{-128,127}};\n"
              "  cmsis_nn_conv_params conv_params = {{-3, -5, stride, padding, dilation, "
              "activation}};\n"
              "  cmsis_nn_per_channel_quant_params quant_params = {{multiplier_, shift_}};\n"
              "  cmsis_nn_dims input_dims = {{1,8,9,4}};\n"
              "  cmsis_nn_dims filter_dims = {{6,3,2,4}};\n"
              "  cmsis_nn_dims bias_dims = {{1,1,1,6}};\n"
              "  cmsis_nn_dims output_dims = {{1,6,5,6}};\n",
              kWindow),
          .function = std::string(function),
          .passed =
              "&context, &conv_params, &quant_params, &input_dims, input_, &filter_dims, "
              "filter_, &bias_dims, bias_, &output_dims, output_",
          .arguments =
              "input_, filter_, multiplier_, bias_, shift_, output_, \"NULL\", 0, -3, -5, "
              "2, 1, 1, 0, 1, 1, -128, 127, -1, 1, 8, 9, 4, 6, 3, 2, 4, 1, 1, 1, 6, 1, 6, "
              "5, 6"};
}

Layer depthwise(std::string_view function, std::string_view element, std::string_view sum) {
  Layer layer = convolution(function, element, sum);
  const auto replace = [](std::string& text, std::string_view from, std::string_view to) {
    text.replace(text.find(from), from.size(), to);
  };
  replace(layer.structs, "cmsis_nn_conv_params conv_params = {-3, -5,",
          "cmsis_nn_dw_conv_params conv_params = {-3, -5, 2,");
  replace(layer.structs, "{6,3,2,4}", "{1,3,2,8}");
  replace(layer.structs, "{1,1,1,6}", "{1,1,1,8}");
  replace(layer.structs, "{1,6,5,6}", "{1,6,5,8}");
  replace(layer.arguments, "-1, 1, 8, 9, 4, 6, 3, 2, 4, 1, 1, 1, 6, 1, 6, 5, 6",
          "2, 1, 8, 9, 4, 1, 3, 2, 8, 1, 1, 1, 8, 1, 6, 5, 8");
  return layer;
}

Layer fully_connected(std::string_view function, std::string_view element, std::string_view sum) {
  return {
      .params = fmt::format("{0}* input_, int8_t* filter_, {1}* bias_, {0}* output_", element, sum),
      .structs =
          "  cmsis_nn_context context= {NULL,0};\n"
          "  cmsis_nn_activation activation = {-128,127};\n"
          "  cmsis_nn_fc_params fc_params = {5, 0, -3, activation};\n"
          "  cmsis_nn_per_tensor_quant_params quant_params = {1234567890, -7};\n"
          "  cmsis_nn_dims input_dims = {2,1,1,8};\n"
          "  cmsis_nn_dims filter_dims = {8,1,1,4};\n"
          "  cmsis_nn_dims bias_dims = {1,1,1,4};\n"
          "  cmsis_nn_dims output_dims = {2,1,1,4};\n",
      .function = std::string(function),
      .passed =
          "&context, &fc_params, &quant_params, &input_dims, input_, &filter_dims, "
          "filter_, &bias_dims, bias_, &output_dims, output_",
      .arguments =
          "input_, filter_, bias_, output_, \"NULL\", 0, 5, 0, -3, -128, 127, "
          "1234567890, -7, 2, 1, 1, 8, 8, 1, 1, 4, 1, 1, 1, 4, 2, 1, 1, 4"};
}

Layer pooling(std::string_view function, std::string_view element) {
  return {.params = fmt::format("{0}* input_, {0}* output_", element),
          .structs = fmt::format("  cmsis_nn_context context= {{NULL,0}};\n{}"
                                 "  cmsis_nn_activation activation = {{-128,127}};\n"
                                 "  cmsis_nn_pool_params pool_params = {{stride, padding, "
                                 "activation}};\n"
                                 "  cmsis_nn_dims input_dims = {{1,8,9,4}};\n"
                                 "  cmsis_nn_dims filter_dims = {{1,3,2,1}};\n"
                                 "  cmsis_nn_dims output_dims = {{1,6,5,4}};\n",
                                 kWindow),
          .function = std::string(function),
          .passed =
              "&context, &pool_params, &input_dims, input_, &filter_dims, &output_dims, "
              "output_",
          // Heights come first in the call, and second in a tile.
          .arguments =
              "input_, output_, \"NULL\", 0, 1, 2, 0, 1, -128, 127, 1, 8, 9, 4, 1, 3, 2, "
              "1, 1, 6, 5, 4"};
}

void expect_layer(const Style& style, const Layer& layer, std::string_view result = "int8") {
  SCOPED_TRACE(fmt::format("{} {}", layer.function, style.type));
  const std::string file = file_of(style, layer);
  const Document document = read_files({file});
  EXPECT_EQ(body_of(document),
            fmt::format("call_extern(\"{}\", {}):{}", layer.function, layer.arguments, result));
  EXPECT_EQ(document.source.tvm_version, style.version);
  expect_own_text(file);
}

// The result of a call of 16 bits is an int16 in the IR where TVM makes it one.
TEST(CmsisNnInC, LayersWithWeightsAreRead) {
  for (const Style& style : {kV09, kV11, kV12Dev, kV12}) {
    expect_layer(style, convolution("arm_convolve_wrapper_s8", "int8_t", "int32_t"));
    expect_layer(style, convolution("arm_convolve_wrapper_s16", "int16_t", "int64_t"), "int16");
    expect_layer(style, depthwise("arm_depthwise_conv_wrapper_s8", "int8_t", "int32_t"));
    expect_layer(style, depthwise("arm_depthwise_conv_wrapper_s16", "int16_t", "int64_t"), "int16");
    expect_layer(style, fully_connected("arm_fully_connected_s8", "int8_t", "int32_t"));
    expect_layer(style, fully_connected("arm_fully_connected_s16", "int16_t", "int64_t"));
  }
}

TEST(CmsisNnInC, PoolingsAreRead) {
  for (const Style& style : {kV09, kV11, kV12Dev, kV12}) {
    expect_layer(style, pooling("arm_max_pool_s8", "int8_t"));
    expect_layer(style, pooling("arm_max_pool_s16", "int16_t"));
    expect_layer(style, pooling("arm_avgpool_s8", "int8_t"));
    expect_layer(style, pooling("arm_avgpool_s16", "int16_t"));
  }
}

Layer softmax_with_tables() {
  return {.params = "int16_t* input_, int16_t* output_",
          .structs = "  cmsis_nn_softmax_lut_s16 softmax_params= {exp_lut, one_by_one_lut};\n",
          .function = "arm_softmax_s16",
          .passed = "input_, 2, 10, 1073741824, -3, &softmax_params, output_",
          .arguments = "input_, 2, 10, 1073741824, -3, exp_lut, one_by_one_lut, output_"};
}

// Tables are constants of the function, which a planner may have put into a pool.
TEST(CmsisNnInC, SoftmaxWithTablesIsRead) {
  Layer layer = softmax_with_tables();
  layer.params += ", int16_t* exp_lut, int16_t* one_by_one_lut";
  expect_layer(kV12, layer, "int16");

  const std::string arrays =
      "static const int16_t __attribute__((section(\".rodata.tvm\"), aligned(16))) exp_lut[2] = "
      "{\n    +0x0001, -0x0002\n};\n"
      "static const int16_t __attribute__((section(\".rodata.tvm\"), aligned(16))) "
      "one_by_one_lut[2] = {\n    +0x0003, +0x0004\n};\n";
  std::string file = file_of(kV12, softmax_with_tables());
  file.insert(file.find("TVM_DLL"), arrays);
  const Document document = read_files({file});
  EXPECT_FALSE(lost(document, LossCode::unknown_construct));
  EXPECT_NE(body_of(document).find("exp_lut, one_by_one_lut, output_"), std::string::npos);
  expect_own_text(file);
}

// These are printed as plain calls.
TEST(CmsisNnInC, LayersWithoutStructsAreRead) {
  const Layer two{.params = "int8_t* input_0_, int8_t* input_1_, int8_t* output_"};
  for (const std::string_view call :
       {"arm_elementwise_mul_s8(input_0_, input_1_, 1, -2, output_, 3, 1073741824, -5, -128, 127, "
        "100)",
        "arm_elementwise_add_s8(input_0_, input_1_, 128, 1623821475, -2, -4, 1073741824, 0, 20, "
        "output_, -128, 1098017566, -17, -128, 127, 100)",
        "arm_softmax_s8(input_0_, 2, 50, 1242899200, 24, -124, output_)"}) {
    for (const Style& style : {kV11, kV12}) {
      const std::string file = file_with(fmt::format("  {};\n", call), style, two);
      EXPECT_EQ(body_of(read_files({file})).substr(0, 12), "call_extern(") << call;
      expect_own_text(file);
    }
  }
}

// All that v0.8 has of CMSIS-NN.
TEST(CmsisNnInC, LayersOfV08AreRead) {
  const Layer three{.params = "void* arg0, void* arg1, void* arg2"};
  const std::string file = file_with(
      "  void* input_0 = arg0;\n  void* input_1 = arg1;\n  void* output = arg2;\n"
      "  (void)arm_elementwise_mul_s8(input_0, input_1, 1, -2, output, 3, 1073741824, -5, -128, "
      "127, 100);\n",
      kV09, three);
  const Document document = read_files({file});
  EXPECT_NE(body_of(document).find("call_extern(\"arm_elementwise_mul_s8\", input_0"),
            std::string::npos);
  EXPECT_EQ(functions_of(written(document)), functions_of(file));
}

TEST(CmsisNnInC, ALayerMayHaveNoBias) {
  Layer layer = fully_connected("arm_fully_connected_s8", "int8_t", "int32_t");
  layer.params = "int8_t* input_, int8_t* filter_, int8_t* output_";
  layer.passed.replace(layer.passed.find(", bias_,"), 8, ", NULL,");
  layer.arguments.replace(layer.arguments.find(" bias_,"), 7, "");
  expect_layer(kV12, layer);
}

TEST(CmsisNnInC, AContextIsAWorkspace) {
  Layer layer = convolution("arm_convolve_wrapper_s8", "int8_t", "int32_t");
  layer.structs.replace(layer.structs.find("NULL,0"), 6, "context_buffer_0,144");
  const std::string file = file_with(
      "  void* context_buffer_0 = TVMBackendAllocWorkspace(1, 0, (uint64_t)144, 0, 8);\n"
      "  if (context_buffer_0 == NULL) {\n    return -1;\n  }\n" +
          body_of_layer(kV12, layer) +
          "  if (TVMBackendFreeWorkspace(1, 0, context_buffer_0) != 0) {\n"
          "    return -1;\n  }\n",
      kV12, layer);
  EXPECT_NE(body_of(read_files({file})).find("output_, context_buffer_0, 144, -3"),
            std::string::npos);
  expect_own_text(file);
}

// The messages are an option of the build that no IR has.
TEST(CmsisNnInC, MessagesOfATestAreNotPrintedAgain) {
  Layer layer = pooling("arm_max_pool_s8", "int8_t");
  const std::string plain = file_of(kV12, layer);
  std::string file = plain;
  for (const std::string_view code : {"ARM_CMSIS_NN_ARG_ERROR", "ARM_CMSIS_NN_NO_IMPL_ERROR"}) {
    const std::string begin = fmt::format("case {}: ", code);
    file.insert(file.find(begin) + begin.size(), fmt::format("TVMAPISetLastError(\"{}\"); ", code));
  }
  const Document document = read_files({file});
  EXPECT_FALSE(lost(document, LossCode::unknown_construct));
  EXPECT_EQ(functions_of(written(document)), functions_of(plain));
}

TEST(CmsisNnInC, DimsGiveTheSizesOfTensors) {
  const Document document =
      read_files({file_of(kV12, fully_connected("arm_fully_connected_s16", "int16_t", "int64_t"))});
  const NodeMap buffers = function(document).map(f::PrimFunc::buffer_map);
  std::vector<std::int64_t> extents;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const Node extent = buffers.value(i).list(f::Buffer::shape)[0];
    ASSERT_TRUE(extent.is(Kind::IntImm));
    extents.push_back(extent.integer(f::IntImm::value));
  }
  EXPECT_EQ(extents, (std::vector<std::int64_t>{2 * 8, 8 * 4, 4, 2 * 4}));
}

// --- What is not understood ----------------------------------------------------------------------

/// Replaces `from` by `to` in the file of a layer: it keeps all its text then, and loses nothing.
void expect_text(const Layer& layer, std::string_view from, std::string_view to) {
  SCOPED_TRACE(fmt::format("{} -> {}", from, to));
  std::string file = file_of(kV12, layer);
  ASSERT_NE(file.find(from), std::string::npos);
  file.replace(file.find(from), from.size(), to);
  const auto document = try_read({file});
  ASSERT_TRUE(document);
  EXPECT_TRUE(lost(*document, LossCode::unknown_construct));
  EXPECT_EQ(body_of(*document).find("call_extern(\"arm_"), std::string::npos) << body_of(*document);
  EXPECT_EQ(functions_of(written(*document)), functions_of(file));
}

TEST(CmsisNnInC, OtherStructsKeepTheirText) {
  const Layer layer = fully_connected("arm_fully_connected_s8", "int8_t", "int32_t");
  const std::string input = "  cmsis_nn_dims input_dims = {2,1,1,8};\n";
  expect_text(layer, input, "");
  expect_text(layer, input, input + "  input_dims.c = 4;\n");
  expect_text(layer, input, input + "  log_layer(input_);\n");
  expect_text(layer, input, "  cmsis_nn_dims input_dims = {2,1,1,CHANNELS};\n");
  expect_text(layer, input, "  cmsis_nn_dims input_dims = {2,1,1};\n");
  expect_text(layer, input, "  cmsis_nn_dims input_dims = {2,1,1,8,8};\n");
  expect_text(layer, input, "  cmsis_nn_dims input_dims = {2,1,1,99999999999};\n");
  expect_text(layer, input, "  cmsis_nn_dims input_dims = {2,1,1,(4 * 2)};\n");
  expect_text(layer, input, "  cmsis_nn_dims input_dims = {2,1,1,input_};\n");
  expect_text(layer, "cmsis_nn_fc_params fc_params", "cmsis_nn_conv_params fc_params");
  expect_text(layer, "fc_params = {5, 0,", "fc_params = {5,");
}

TEST(CmsisNnInC, OtherCallsKeepTheirText) {
  const Layer layer = fully_connected("arm_fully_connected_s8", "int8_t", "int32_t");
  expect_text(layer, "arm_fully_connected_s8(", "arm_fully_connected_s4(");
  expect_text(layer, "arm_fully_connected_s8(", "arm_max_pool_s8(");
  expect_text(layer, "arm_fully_connected_s8(", "arm_softmax_s8(");
  expect_text(layer, "input_, &filter_dims", "(input_ + 4), &filter_dims");
  expect_text(layer, "input_, &filter_dims", "other, &filter_dims");
  expect_text(layer, "&filter_dims, filter_", "&filter_dims, NULL");
  expect_text(layer, "&input_dims, input_", "&output_dims, input_");
  expect_text(layer, ", output_);", ");");
  expect_text(layer, "arm_cmsis_nn_status status", "arm_status status");
  expect_text(layer, "case ARM_CMSIS_NN_ARG_ERROR: return -1;", "");
  expect_text(layer, "case ARM_CMSIS_NN_ARG_ERROR: return -1;",
              "case ARM_CMSIS_NN_ARG_ERROR: retry(); return -1;");
}

TEST(CmsisNnInC, ALayerIsReadWhereTextIsAroundIt) {
  Layer layer = fully_connected("arm_fully_connected_s8", "int8_t", "int32_t");
  const std::string file = file_with(
      "  uint32_t begin = DWT->CYCCNT;\n" + body_of_layer(kV12, layer) + "  report(DWT->CYCCNT);\n",
      kV12, layer);
  const Document document = read_files({file});
  EXPECT_NE(body_of(document).find("call_extern(\"arm_fully_connected_s8\""), std::string::npos);
  EXPECT_EQ(functions_of(written(document)), functions_of(file));
}

// A file that ends anywhere is read or refused.
TEST(CmsisNnInC, CutAnywhereLayersAreReadOrRefused) {
  const std::string whole =
      file_of(kV12, convolution("arm_convolve_wrapper_s8", "int8_t", "int32_t"));
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const auto document = try_read({whole.substr(0, length)});
    if (document) continue;
    EXPECT_EQ(document.error().kind, ErrorKind::invalid_input) << length;
  }
}

}  // namespace
}  // namespace mlf::tir::c
