// Kernels for Arm's Ethos-U: which tensors their operations read and write.
#include <gtest/gtest.h>

#include <fmt/core.h>

#include "unit/graph/networks.h"

namespace mlf::graph {
namespace {

using Lines = std::vector<std::string>;

constexpr std::string_view kFeatureMaps =
    "p0: T.Buffer((4,), \"float32\"), out: T.Buffer((4,), \"float32\")";

/// The 17 arguments of a feature map at an address.
std::string feature_map(std::string_view address) {
  return fmt::format(
      "\"float32\", 4, 4, 4, 4, 0, 4, {}, 0, 0, 0, T.float32(0.5), 10, \"NHWC\", 16, 4, 1",
      address);
}

/// A network of one call of a kernel with this body, from x to output.
Topology npu_call(std::string_view body) {
  return network(script({main_of({"x", "output"}, call("tvmgen_default_ethos_u_main_0",
                                                       "x_buffer.data, output_buffer.data")),
                         kernel("tvmgen_default_ethos_u_main_0", kFeatureMaps, body)}));
}

Lines directions_of(std::string_view body) {
  return decisions_of(npu_call(body), 0);
}

const Lines kReadAndWritten{"input body certain", "output body certain"};

TEST(EthosU, OperationsReadInputsAndWriteTheOutput) {
  for (const std::string_view name : {"ethosu_depthwise_conv2d", "ethosu_pooling",
                                      "ethosu_identity", "ethosu_unary_elementwise"}) {
    EXPECT_EQ(directions_of(fmt::format("T.call_extern(\"handle\", \"{}\", {}, {}, 0)", name,
                                        feature_map("p0[0]"), feature_map("out[0]"))),
              kReadAndWritten)
        << name;
  }
  EXPECT_EQ(directions_of(fmt::format(
                "T.call_extern(\"handle\", \"ethosu_binary_elementwise\", {}, {}, {}, \"ADD\")",
                feature_map("p0[0]"), feature_map("p0[0]"), feature_map("out[0]"))),
            kReadAndWritten);
}

TEST(EthosU, WeightsAndTheSourceOfACopyAreRead) {
  EXPECT_EQ(directions_of(fmt::format(
                "work = T.allocate([4], \"float32\", \"global\")\n"
                "work_1 = T.Buffer((4,), \"float32\", data=work)\n"
                "T.call_extern(\"handle\", \"ethosu_copy\", p0[0], 64, work_1[0])\n"
                "T.call_extern(\"handle\", \"ethosu_conv2d\", {}, {}, 1, 1, 1, 1, 1, 1, p0[0], 16)",
                feature_map("work_1[0]"), feature_map("out[0]"))),
            kReadAndWritten);
}

// The network is that of the kernel, what it costs is not known.
TEST(EthosU, OperationsAreNoGap) {
  const Topology topology =
      npu_call(fmt::format("T.call_extern(\"handle\", \"ethosu_identity\", {}, {}, 0)",
                           feature_map("p0[0]"), feature_map("out[0]")));
  EXPECT_TRUE(topology.kernels.at(0).gaps.empty());
  EXPECT_EQ(checks_of(topology), Lines());
}

TEST(EthosU, OtherFunctionsOfThatNameMayDoAnything) {
  for (const std::string& body :
       {fmt::format("T.call_extern(\"handle\", \"ethosu_other\", {}, {}, 0)", feature_map("p0[0]"),
                    feature_map("out[0]")),
        // Too few arguments.
        std::string("T.call_extern(\"handle\", \"ethosu_conv2d\", p0[0], out[0])")}) {
    EXPECT_FALSE(npu_call(body).kernels.at(0).gaps.empty()) << body;
  }
}

/// Main, a kernel and a function for the NPU with these lines more, as TVM prints them.
std::string in_c(std::string_view parameter, std::string_view lines, std::string_view argument) {
  return fmt::format(
      "// tvm target: c \n#define TVM_EXPORTS\n#include \"tvm/runtime/c_runtime_api.h\"\n"
      "#include <math.h>\n#include <stdbool.h>\n"
      "__attribute__((section(\".rodata.tvm\"), aligned(16))) static int8_t npu_cms_data_data[4] = "
      "\"\\x43\\x4f\\x50\\x31\";\n"
      "TVM_DLL int32_t tvmgen_default_fused_cast(int8_t* p0, int8_t* T_cast) {{\n"
      "  for (int32_t i = 0; i < 32; ++i) {{\n    T_cast[i] = p0[i];\n  }}\n  return 0;\n}}\n"
      "TVM_DLL int32_t tvmgen_default_npu(void* in,void* out,{}void* resource_handle) {{\n"
      "  void* cms_data = (void*)(npu_cms_data_data);\n"
      "  const size_t cms_data_size = sizeof(npu_cms_data_data);\n"
      "  size_t base_addrs_size[6] = {{0}};\n  uint64_t base_addrs[6] = {{0}};\n"
      "  base_addrs[0] = (uintptr_t)(npu_weights);\n  base_addrs_size[0] = 0;\n"
      "  base_addrs[3] = (uintptr_t)(in);\n  base_addrs_size[3] = 64;\n"
      "  base_addrs[4] = (uintptr_t)(out);\n  base_addrs_size[4] = 32;\n{}"
      "  int32_t result = TVMEthosULaunch(resource_handle, cms_data, cms_data_size, base_addrs, "
      "base_addrs_size, 6);\n  return result;\n}}\n"
      "TVM_DLL int32_t tvmgen_default___tvm_main__(int8_t* x_buffer_var, int8_t* "
      "output_buffer_var, uint8_t* global_workspace_0_var, void* device_context_ethos_u) {{\n"
      "  void* sid_1_let = (&(global_workspace_0_var[128]));\n"
      "  if (tvmgen_default_npu(x_buffer_var, sid_1_let, {}device_context_ethos_u) != 0 ) return "
      "-1;\n"
      "  if (tvmgen_default_fused_cast(sid_1_let, output_buffer_var) != 0 ) return -1;\n"
      "  return 0;\n}}\n",
      parameter, lines, argument);
}

TEST(EthosU, ALaunchInCSaysHowMuchItWrites) {
  const Topology topology = network(in_c("", "", ""));
  EXPECT_EQ(calls_of(topology),
            "tvmgen_default_npu(x -> sid_1_let)\ntvmgen_default_fused_cast(sid_1_let -> output)\n");
  EXPECT_EQ(decisions_of(topology, 0), kReadAndWritten);
  EXPECT_EQ(topology.calls[0].arguments.at(2).direction, Direction::context);
  const Value& value = topology.values.at(1);
  EXPECT_EQ(value.type, (TensorType{tir::DType::Int(8), std::vector<std::int64_t>{32}}));
  EXPECT_EQ(topology[value.storage].bytes, 32u);
  ASSERT_EQ(topology.kernels[0].constants.size(), 1u);
  EXPECT_EQ(topology.kernels[0].constants[0].bytes, 4u);
  EXPECT_TRUE(topology.kernels[0].gaps.empty());
}

// Its commands alone say how much of a pool it works in.
class EthosUPool : public testing::TestWithParam<int> {};

TEST_P(EthosUPool, ItsPlacesAreNotKnown) {
  // Some versions say how large all of the pool is.
  const Topology topology =
      network(in_c("void* global_workspace_1_var,",
                   fmt::format("  base_addrs[5] = (uintptr_t)(global_workspace_1_var);\n"
                               "  base_addrs_size[5] = {};\n",
                               GetParam()),
                   "global_workspace_0_var, "));
  EXPECT_EQ(topology.calls[0].arguments.at(2).direction, Direction::pool);
  ASSERT_EQ(topology.kernels[0].workspaces.size(), 1u);
  EXPECT_FALSE(topology.kernels[0].workspaces[0].bytes);
  ASSERT_FALSE(topology.memory.empty());
  EXPECT_NE(topology.memory[0].exactness, Exactness::exact);
}

INSTANTIATE_TEST_SUITE_P(Sizes, EthosUPool, testing::Values(0, 256));

}  // namespace
}  // namespace mlf::graph
