// Storage: pools of the unified static memory planner, what lies where, and what may overlap.
#include <gtest/gtest.h>

#include "support/error.h"
#include "tir/c/c.h"
#include "unit/graph/planned_networks.h"

namespace mlf::graph {
namespace {

using Codes = std::vector<std::string>;

TEST(PlannedMemory, TensorsAreNamedPlacesInPools) {
  const Topology topology =
      network(script({planned_main(place("sid_1_let", 0) + place("sid_2_let", 16) +
                                   planned_call("x_buffer.data, sid_1_let") +
                                   planned_call("sid_1_let, sid_2_let") +
                                   planned_call("sid_2_let, output_buffer.data")),
                      planned_unary("tvmgen_default_a")}));
  EXPECT_EQ(calls_of(topology),
            "tvmgen_default_a(x -> sid_1_let)\n"
            "tvmgen_default_a(sid_1_let -> sid_2_let)\n"
            "tvmgen_default_a(sid_2_let -> output)\n");
  EXPECT_EQ(checks_of(topology), Codes{});
  ASSERT_EQ(topology.pools.size(), 2u);
  EXPECT_EQ(topology.pools[0].name, "global_const_workspace");
  EXPECT_EQ(topology.pools[0].kind, PoolKind::constant);
  EXPECT_EQ(topology.pools[0].bytes, 64u);
  EXPECT_EQ(topology.pools[1].kind, PoolKind::workspace);
  EXPECT_EQ(topology.pools[1].parameter, "global_workspace_1_var");
  const Storage& second = topology[*topology.calls[1].arguments[1].storage];
  EXPECT_EQ(second.kind, StorageKind::pool);
  EXPECT_EQ(second.pool, PoolId{1});
  EXPECT_EQ(second.offset, 16u);
  EXPECT_EQ(second.bytes, 16u);
}

TEST(PlannedMemory, WhatKernelsPutIntoPoolsIsTheirOwn) {
  const Topology topology =
      network(script({planned_main(planned_call("x_buffer.data, output_buffer.data")),
                      planned_unary("tvmgen_default_a")}));
  const Call& call = topology.calls[0];
  EXPECT_EQ(call.arguments[2].direction, Direction::pool);
  EXPECT_EQ(call.arguments[3].pool, PoolId{1});
  const Kernel& kernel = topology.kernels[0];
  ASSERT_EQ(kernel.constants.size(), 1u);
  EXPECT_EQ(kernel.constants[0].name, "weight_let");
  EXPECT_EQ(kernel.constants[0].pool, PoolId{0});
  EXPECT_EQ(kernel.constants[0].offset, 16u);
  EXPECT_EQ(kernel.constants[0].bytes, 16u);
  ASSERT_EQ(kernel.workspaces.size(), 1u);
  EXPECT_EQ(kernel.workspaces[0].offset, 32u);
  EXPECT_EQ(topology.outputs.size(), 1u);
}

constexpr std::string_view kPackedParameters =
    "args: T.handle, arg_type_ids: T.handle(\"int32\"), num_args: T.int32, "
    "out_ret_value: T.handle(\"void\"), out_ret_tcode: T.handle(\"int32\"), "
    "resource_handle: T.handle";

/// "x: T.handle = …" for a packed argument and for the data of its tensor.
std::string packed_argument(std::string_view name, std::int64_t position, std::string_view dtype) {
  const std::string argument = "arg_" + std::string(name);
  return argument + ": T.handle = T.tvm_struct_get(args, " + std::to_string(position) +
         ", 12, \"handle\")\n" + std::string(name) + ": T.handle(\"" + std::string(dtype) +
         "\", \"global\") = T.tvm_struct_get(" + argument + ", 0, 1, \"handle\")\n";
}

// MakePackedAPI of TVM v0.9 leaves no Buffer over a pool but inside the addresses that lets name.
TEST(PlannedMemory, APackedKernelThatNamesPlacesInAPoolTakesThePool) {
  const std::string packed =
      kernel("tvmgen_default_a", kPackedParameters,
             packed_argument("p0", 0, "float32") + packed_argument("T_add", 1, "float32") +
                 packed_argument("global_const_workspace_2_var", 2, "uint8") +
                 packed_argument("global_workspace_3_var", 3, "uint8") +
                 "pool = T.Buffer((48,), \"uint8\", data=global_workspace_3_var)\n"
                 "local_let: T.handle(\"float32\", \"global\") = T.address_of(pool[32])\n"
                 "for i in range(4):\n"
                 "    p0_1 = T.Buffer((4,), data=p0)\n"
                 "    local = T.Buffer((4,), data=local_let)\n"
                 "    T_add_1 = T.Buffer((4,), data=T_add)\n"
                 "    local[i] = p0_1[i]\n"
                 "    T_add_1[i] = local[i]");
  const Topology topology =
      network(script({planned_main(planned_call("x_buffer.data, output_buffer.data")), packed}));
  EXPECT_EQ(checks_of(topology), Codes{});
  EXPECT_EQ(calls_of(topology), "tvmgen_default_a(x -> output)\n");
  EXPECT_EQ(topology.calls[0].arguments[3].parameter, "global_workspace_3_var");
  ASSERT_EQ(topology.kernels[0].workspaces.size(), 1u);
  EXPECT_EQ(topology.kernels[0].workspaces[0].offset, 32u);
  EXPECT_EQ(topology.kernels[0].workspaces[0].pool, PoolId{1});
}

TEST(PlannedMemory, AnArgumentAtAnImpossiblePositionIsNoArgument) {
  for (const std::int64_t position : {std::int64_t{-1}, std::int64_t{4'000'000'000}}) {
    const std::string packed = kernel("tvmgen_default_a", kPackedParameters,
                                      packed_argument("p0", position, "float32") +
                                          "p0_1 = T.Buffer((4,), data=p0)\n"
                                          "p0_1[0] = T.float32(1)");
    const Topology topology =
        network(script({planned_main(planned_call("x_buffer.data, output_buffer.data")), packed}));
    EXPECT_NE(checks_of(topology), Codes{}) << position;
  }
}

/// A network that is C alone: main, one kernel, and a pool with constants of 8 and 64 bytes.
Topology network_of_c() {
  const std::string entry =
      "#include \"tvm/runtime/c_runtime_api.h\"\n"
      "__attribute__((section(\".rodata.tvm\"), ))\n"
      "static struct global_const_workspace {\n"
      "  float other_let[2] __attribute__((aligned(16))); // 8 bytes, aligned offset: 0\n"
      "  float constant_0_let[16] __attribute__((aligned(16))); // 64 bytes, aligned offset: 16\n"
      "} global_const_workspace = {\n"
      "  .other_let = {\n    0x1.8p+1, -0x1p-3  \n  },\n  .constant_0_let = {\n"
      "    0x1p+0, 0x1p+0, 0x1p+0, 0x1p+0, 0x1p+0, 0x1p+0, 0x1p+0, 0x1p+0, \n"
      "    0x1p+0, 0x1p+0, 0x1p+0, 0x1p+0, 0x1p+0, 0x1p+0, 0x1p+0, 0x1p+0  \n  },\n"
      "};// of total size 80 bytes\n;";
  const std::string code =
      "// tvm target: c -keys=cpu \n#define TVM_EXPORTS\n"
      "#include \"tvm/runtime/c_runtime_api.h\"\n#include \"tvm/runtime/c_backend_api.h\"\n"
      "#include <math.h>\n"
      "#ifdef __cplusplus\nextern \"C\"\n#endif\n"
      "TVM_DLL int32_t tvmgen_default_a(float* p0, float* p1, float* T_add, "
      "uint8_t* global_const_workspace_1_var) {\n"
      "  for (int32_t i = 0; i < 4; ++i) {\n    T_add[i] = (p0[i] + p1[i]);\n  }\n"
      "  return 0;\n}\n\n"
      "#ifdef __cplusplus\nextern \"C\"\n#endif\n"
      "TVM_DLL int32_t tvmgen_default___tvm_main__(float* x_buffer_var, "
      "float* output_buffer_var, uint8_t* global_const_workspace_0_var) {\n"
      "  void* constant_0_let = (&(global_const_workspace_0_var[16]));\n"
      "  if (tvmgen_default_a(x_buffer_var, constant_0_let, output_buffer_var, "
      "global_const_workspace_0_var) != 0 ) return -1;\n"
      "  return 0;\n}\n\n";
  tir::CSources sources;
  sources.files.push_back({.file = "a.tar", .member = "lib0.c", .text = entry});
  sources.files.push_back({.file = "a.tar", .member = "lib1.c", .text = code});
  const auto document = support::to_result([&] { return tir::read_c(sources); });
  if (!document) throw std::runtime_error(to_string(document.error()));
  const TirInput input{&*document, "tir-1"};
  return std::move(reconstruct({&input, 1}).at(0));
}

// The kernel reads four floats of it; nothing but the pool says that there are sixteen.
TEST(PlannedMemory, ConstantsInPoolsAreAsLargeAsThePoolSays) {
  const Topology topology = network_of_c();
  const auto constant =
      std::find_if(topology.storages.begin(), topology.storages.end(),
                   [](const Storage& storage) { return storage.name == "constant_0_let"; });
  ASSERT_NE(constant, topology.storages.end());
  EXPECT_EQ(constant->offset, 16u);
  EXPECT_EQ(constant->bytes, 64u);
  const MemoryUse& use = topology.memory.at(0);
  EXPECT_EQ(use.used, 80u);
  EXPECT_EQ(use.exactness, Exactness::exact);
}

TEST(PlannedMemory, AnAddressUsedTwiceIsTwoTensors) {
  const Topology topology = network(script(
      {planned_main(place("sid_1_let", 0) + place("sid_2_let", 16) + place("sid_3_let", 0) +
                    planned_call("x_buffer.data, sid_1_let") +
                    planned_call("sid_1_let, sid_2_let") + planned_call("sid_2_let, sid_3_let") +
                    planned_call("sid_3_let, output_buffer.data")),
       planned_unary("tvmgen_default_a")}));
  EXPECT_EQ(calls_of(topology),
            "tvmgen_default_a(x -> sid_1_let)\n"
            "tvmgen_default_a(sid_1_let -> sid_2_let)\n"
            "tvmgen_default_a(sid_2_let -> sid_3_let)\n"
            "tvmgen_default_a(sid_3_let -> output)\n");
  EXPECT_EQ(checks_of(topology), Codes{});
}

TEST(PlannedMemory, AnInputMayShareBytesWithAnOutputOfItsLastReader) {
  const Topology topology =
      network(script({planned_main(place("sid_1_let", 0) + place("sid_2_let", 0) +
                                   planned_call("x_buffer.data, sid_1_let") +
                                   planned_call("sid_1_let, sid_2_let") +
                                   planned_call("sid_2_let, output_buffer.data")),
                      planned_unary("tvmgen_default_a")}));
  EXPECT_EQ(checks_of(topology), Codes{});
}

TEST(PlannedMemory, TwoLivingTensorsMayNotShareBytes) {
  const Topology topology = network(script(
      {planned_main(
           place("sid_1_let", 0) + place("sid_2_let", 8) +
           planned_call("x_buffer.data, sid_1_let") + planned_call("x_buffer.data, sid_2_let") +
           planned_call("sid_1_let, sid_2_let") + planned_call("sid_2_let, output_buffer.data")),
       planned_unary("tvmgen_default_a")}));
  const Codes codes = checks_of(topology);
  EXPECT_NE(std::find(codes.begin(), codes.end(), "storage-overlap"), codes.end());
  EXPECT_FALSE(topology.is_sound());
}

TEST(PlannedMemory, ATensorMustEndInsideItsPool) {
  const Topology topology = network(
      script({planned_main(place("sid_1_let", 40) + planned_call("x_buffer.data, sid_1_let") +
                           planned_call("sid_1_let, output_buffer.data")),
              planned_unary("tvmgen_default_a")}));
  EXPECT_EQ(checks_of(topology), Codes{"storage-too-small"});
}

// `tir.usmp.use_workspace_io`: main has no parameters but the pools.
TEST(PlannedMemory, InputsAndOutputsMayLieInPools) {
  std::string main =
      planned_main(place("output_buffer_var_let", 16) + place("x_buffer_var_let", 0) +
                   place("sid_1_let", 32) + planned_call("x_buffer_var_let, sid_1_let") +
                   planned_call("sid_1_let, output_buffer_var_let"));
  for (const std::string port : {"x", "output"}) {
    main.replace(main.find(port + ": T.handle, "), port.size() + 12, "");
    const std::size_t line = main.find("        " + port + "_buffer = ");
    main.erase(line, main.find('\n', line) + 1 - line);
  }
  const Topology topology = network(script({main, planned_unary("tvmgen_default_a")}));
  EXPECT_EQ(calls_of(topology),
            "tvmgen_default_a(x -> sid_1_let)\n"
            "tvmgen_default_a(sid_1_let -> output)\n");
  ASSERT_EQ(topology.inputs.size(), 1u);
  EXPECT_EQ(topology.inputs[0].parameter, "x_buffer_var_let");
  ASSERT_EQ(topology.outputs.size(), 1u);
  EXPECT_EQ(topology[topology.values[0].storage].offset, 0u);
  EXPECT_EQ(topology[*topology.calls[1].arguments[1].storage].kind, StorageKind::pool);
  EXPECT_EQ(checks_of(topology), Codes{});
}

TEST(Memory, AllocationMustHoldItsTensor) {
  const Topology topology = network(script(
      {main_of({"x", "output"}, sid("sid_1", 8) + call("tvmgen_default_a", "x_buffer.data, sid_1") +
                                    call("tvmgen_default_a", "sid_1, output_buffer.data")),
       unary("tvmgen_default_a")}));
  EXPECT_EQ(checks_of(topology), Codes{"storage-too-small"});
}

}  // namespace
}  // namespace mlf::graph
