// Layers of CMSIS-NN in networks: the arguments of their calls say which tensors they read and
// write, and how large these are.
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "support/error.h"
#include "tir/c/c.h"
#include "unit/graph/networks.h"

namespace mlf::graph {
namespace {

constexpr std::string_view kDense =
    "  cmsis_nn_context context= {NULL,0};\n"
    "  cmsis_nn_activation activation = {-128,127};\n"
    "  cmsis_nn_fc_params fc_params = {5, 0, -3, activation};\n"
    "  cmsis_nn_per_tensor_quant_params quant_params = {1234567890, -7};\n"
    "  cmsis_nn_dims input_dims = {1,1,1,8};\n"
    "  cmsis_nn_dims filter_dims = {8,1,1,4};\n"
    "  cmsis_nn_dims bias_dims = {1,1,1,4};\n"
    "  cmsis_nn_dims output_dims = {1,1,1,4};\n"
    "  arm_cmsis_nn_status status = arm_fully_connected_s8(&context, &fc_params, &quant_params, "
    "&input_dims, input_, &filter_dims, filter_, &bias_dims, bias_, &output_dims, output_);\n"
    "  if (status != ARM_CMSIS_NN_SUCCESS) {\n    return -1;\n  }\n";

/// Two kernels for CMSIS-NN, of which the first has these statements, in the C of an archive that
/// has its memory in a pool.
tir::Document kernels_in_c(std::string_view first, std::string_view main) {
  const std::string text = fmt::format(
      "// tvm target: cmsis-nn \n#define TVM_EXPORTS\n"
      "#include \"tvm/runtime/c_runtime_api.h\"\n#include <math.h>\n"
      "TVM_DLL int32_t tvmgen_default_cmsis_nn_main_0(int8_t* input_, int8_t* filter_, int32_t* "
      "bias_, int8_t* output_, uint8_t* global_workspace_1_var) {{\n{}  return 0;\n}}\n"
      "TVM_DLL int32_t tvmgen_default_cmsis_nn_main_1(int8_t* input_, int8_t* output_, uint8_t* "
      "global_workspace_2_var) {{\n  arm_softmax_s8(input_, 2, 2, 1, 2, -3, output_);\n"
      "  return 0;\n}}\n"
      "TVM_DLL int32_t tvmgen_default___tvm_main__(int8_t* x_buffer_var, int8_t* w_buffer_var, "
      "int32_t* b_buffer_var, int8_t* y_buffer_var, uint8_t* global_workspace_0_var) {{\n{}"
      "  return 0;\n}}\n",
      first, main);
  const tir::CSources sources{.files = {{"lib2.c", {}, text, "codegen"}}};
  return tir::read_c(sources);
}

constexpr std::string_view kMain =
    "  void* sid_1_let = (&(global_workspace_0_var[16]));\n"
    "  if (tvmgen_default_cmsis_nn_main_0(x_buffer_var, w_buffer_var, b_buffer_var, sid_1_let, "
    "global_workspace_0_var) != 0 ) return -1;\n"
    "  if (tvmgen_default_cmsis_nn_main_1(sid_1_let, y_buffer_var, global_workspace_0_var) != 0 ) "
    "return -1;\n";

Topology network_of(const tir::Document& document) {
  const TirInput input{&document, "tir-1"};
  const ModuleFacts facts{
      .module = "default", .inputs = {{{"x"}, {"w"}, {"b"}}}, .outputs = {{{"y"}}}};
  auto topologies = support::to_result([&] {
    return reconstruct({&input, 1}, [&](std::string_view) { return &facts; });
  });
  if (!topologies) throw std::runtime_error(to_string(topologies.error()));
  return std::move(topologies->front());
}

/// "input int8[1, 1, 1, 8]" for each tensor of a call.
std::vector<std::string> tensors_of(const Topology& topology, std::size_t call) {
  std::vector<std::string> tensors;
  for (const Argument& argument : topology.calls[call].arguments) {
    if (!argument.storage) continue;
    std::string shape = "?";
    if (argument.type.shape) shape = fmt::format("[{}]", fmt::join(*argument.type.shape, ", "));
    tensors.push_back(fmt::format("{} {}{}", to_string(argument.direction),
                                  tir::to_string(argument.type.dtype), shape));
  }
  return tensors;
}

using Words = std::vector<std::string>;

TEST(Layers, DimsAreTheShapesOfTensors) {
  const tir::Document document = kernels_in_c(kDense, kMain);
  const Topology topology = network_of(document);
  EXPECT_EQ(tensors_of(topology, 0), (Words{"input int8[1, 1, 1, 8]", "input int8[8, 1, 1, 4]",
                                            "input int32[4]", "output int8[1, 1, 1, 4]"}));
  EXPECT_EQ(tensors_of(topology, 1), (Words{"input int8[2, 2]", "output int8[2, 2]"}));
  EXPECT_EQ(decisions_of(topology, 0), (Words{"input body certain", "input body certain",
                                              "input body certain", "output body certain"}));
  EXPECT_EQ(topology.values[index(*topology.calls[0].arguments[3].writes)].bytes, 4u);
  EXPECT_EQ(topology.gaps, Words());
}

TEST(Layers, AContextInAPoolIsAsLargeAsItIsToldToBe) {
  std::string pooling =
      "  void* context_buffer_0_let = (&(global_workspace_1_var[32]));\n"
      "  cmsis_nn_context context= {context_buffer_0_let,24};\n"
      "  cmsis_nn_tile stride = {2,2};\n  cmsis_nn_tile padding = {0,0};\n"
      "  cmsis_nn_activation activation = {-128,127};\n"
      "  cmsis_nn_pool_params pool_params = {stride, padding, activation};\n"
      "  cmsis_nn_dims input_dims = {1,4,4,1};\n  cmsis_nn_dims filter_dims = {1,2,2,1};\n"
      "  cmsis_nn_dims output_dims = {1,2,2,1};\n"
      "  arm_cmsis_nn_status status = arm_avgpool_s8(&context, &pool_params, &input_dims, input_, "
      "&filter_dims, &output_dims, output_);\n"
      "  if (status != ARM_CMSIS_NN_SUCCESS) {\n    return -1;\n  }\n";
  const tir::Document document = kernels_in_c(pooling, kMain);
  const Topology topology = network_of(document);
  const Kernel& kernel = topology.kernel_of(topology.calls[0]);
  ASSERT_EQ(kernel.workspaces.size(), 1u);
  EXPECT_EQ(kernel.workspaces[0].offset, 32u);
  EXPECT_EQ(kernel.workspaces[0].bytes, 24u);
}

// Code that is not understood may write more, or change what a struct says.
TEST(Layers, BesideTextNoSizeIsKnown) {
  std::string changed(kDense);
  changed.insert(changed.find("  arm_cmsis_nn_status"), "  output_dims.c = n_channels();\n");
  for (const std::string& first : {changed, std::string(kDense) + "  publish(output_);\n"}) {
    const tir::Document document = kernels_in_c(first, kMain);
    const Topology topology = network_of(document);
    EXPECT_FALSE(topology.kernel_of(topology.calls[0]).gaps.empty());
    EXPECT_EQ(topology.calls[0].arguments[3].type.shape.has_value(), false) << first;
  }
}

// The layer writes five elements, whatever the next one reads of them.
TEST(Layers, BehindSizesThatContradictEachOtherNoSizeIsKnown) {
  std::string first(kDense);
  const std::string_view output = "output_dims = {1,1,1,4}";
  first.replace(first.find(output), output.size(), "output_dims = {1,1,1,5}");
  const tir::Document document = kernels_in_c(first, kMain);
  const Topology topology = network_of(document);
  const Argument& written = topology.calls[0].arguments[3];
  EXPECT_EQ(written.type.shape.has_value(), false);
  EXPECT_EQ(topology.values[index(*written.writes)].type.shape.has_value(), false);
}

// In captured TIR a tensor of a layer is declared as `()`.
std::string layer_in_script(std::string_view dims, std::string_view more = "") {
  return fmt::format(
      "T.evaluate(T.call_extern(\"int8\", \"arm_max_pool_s8\", p0.data, p1.data, \"NULL\", 0, "
      "2, 2, 0, 0, -128, 127, {}))\n{}",
      dims, more);
}

Topology network_in_script(const std::string& body) {
  return network(script(
      {kernel("tvmgen_default_cmsis_nn_main_0",
              "p0: T.Buffer((), \"int8\"), p1: T.Buffer((), \"int8\")", body),
       unary("tvmgen_default_a"),
       main_of({"x", "y"}, sid("sid_1") +
                               call("tvmgen_default_cmsis_nn_main_0", "x_buffer.data, sid_1.data") +
                               call("tvmgen_default_a", "sid_1.data, y_buffer.data"))}));
}

TEST(Layers, DimsAreTheShapesOfTensorsInScripts) {
  const Topology topology =
      network_in_script(layer_in_script("1, 8, 8, 1, 1, 2, 2, 1, 1, 4, 4, 1"));
  EXPECT_EQ(tensors_of(topology, 0).back(), "output int8[1, 4, 4, 1]");
}

TEST(Layers, DimsThatAreNoNumbersSayNothing) {
  for (const std::string_view dims :
       {"1, 8, 8, 1, 1, 2, 2, 1, 1, 4, 4, T.cast(p0[()], \"int32\")",
        "1, 8, 8, 1, 1, 2, 2, 1, 1, 4, 4, 2", "1, 8, 8, 1, 1, 2, 2, 1, 1, 4, 4"}) {
    const Topology topology = network_in_script(layer_in_script(dims));
    EXPECT_EQ(topology.calls[0].arguments[1].type.shape.has_value(), false) << dims;
  }
}

TEST(Layers, ShapesThatContradictEachOtherSayNothing) {
  const Topology topology = network_in_script(layer_in_script(
      "1, 8, 8, 1, 1, 2, 2, 1, 1, 4, 4, 1", layer_in_script("1, 4, 4, 1, 1, 2, 2, 1, 1, 2, 2, 1")));
  EXPECT_EQ(topology.calls[0].arguments[1].type.shape.has_value(), false);
}

}  // namespace
}  // namespace mlf::graph
