// What people add to main: the network is followed past it, and no number is surer than it is.
#include <gtest/gtest.h>

#include <algorithm>

#include "mlf/graph/topology.h"
#include "support/error.h"
#include "tir/c/c.h"
#include "unit/graph/networks.h"

namespace mlf::graph {
namespace {

using Codes = std::vector<std::string>;

const std::string kOneKernel =
    "TVM_DLL int32_t tvmgen_default_a(float* p0, float* T_add) {\n"
    "  for (int32_t i = 0; i < 4; ++i) {\n    T_add[i] = (p0[i] + 1.000000e+00f);\n  }\n"
    "  return 0;\n}\n";
const std::string kCallIntoPool =
    "  if (tvmgen_default_a(x_buffer_var, (&(global_workspace_1_var[0]))) != 0 ) return -1;\n";
const std::string kCallOutOfPool =
    "  if (tvmgen_default_a((&(global_workspace_1_var[0])), output_buffer_var) != 0 ) return -1;\n";

/// The network of a main with these statements, a pool, and `wrapper` for a wrapper.
Topology network_of(const std::string& statements, const std::string& wrapper,
                    const ModuleFacts& facts = {.module = "default"},
                    const std::string& more_kernels = {}) {
  const std::string text =
      "// tvm target: c -keys=cpu \n#define TVM_EXPORTS\n"
      "#include \"tvm/runtime/c_runtime_api.h\"\n#include <stdbool.h>\n" +
      kOneKernel + more_kernels +
      "TVM_DLL int32_t tvmgen_default___tvm_main__(float* x_buffer_var, float* output_buffer_var, "
      "uint8_t* global_workspace_1_var) {\n" +
      statements + "  return 0;\n}\n";
  const tir::CSources sources{
      .files = {{"lib0.c", {}, wrapper, "codegen"}, {"lib1.c", {}, text, "codegen"}}};
  const auto document = support::to_result([&] { return tir::read_c(sources); });
  if (!document) throw std::runtime_error(to_string(document.error()));
  const TirInput input{&*document, "tir-1"};
  auto topologies = support::to_result([&] {
    return reconstruct({&input, 1}, [&](std::string_view) { return &facts; });
  });
  if (!topologies) throw std::runtime_error(to_string(topologies.error()));
  return std::move(topologies->front());
}

const std::string kPoolWrapper =
    "#include \"tvm/runtime/c_runtime_api.h\"\n"
    "__attribute__((section(\".bss.noinit.tvm\"), aligned(16)))\n"
    "static uint8_t global_workspace[16];\n";

Topology with_added(const std::string& added) {
  return network_of(kCallIntoPool + added + kCallOutOfPool, kPoolWrapper);
}

TEST(Kernels, MayTakeTheirOutputFirstWhereTheirCodeShowsIt) {
  const std::string kernel =
      "TVM_DLL int32_t tvmgen_default_b(float* T_add, float* p0) {\n"
      "  for (int32_t i = 0; i < 4; ++i) {\n    T_add[i] = p0[i];\n  }\n  return 0;\n}\n";
  const Topology topology = network_of(kCallIntoPool +
                                           "  if (tvmgen_default_b(output_buffer_var, "
                                           "(&(global_workspace_1_var[0]))) != 0 ) return -1;\n",
                                       kPoolWrapper, {.module = "default"}, kernel);
  EXPECT_EQ(checks_of(topology), Codes());
}

TEST(Values, AreAsLongAsWhatIsReadOfThemWhereTheirWriterWroteLess) {
  const std::string half =
      "TVM_DLL int32_t tvmgen_default_half(float* p0, float* T_add) {\n"
      "  for (int32_t i = 0; i < 2; ++i) {\n    T_add[i] = p0[i];\n  }\n  return 0;\n}\n";
  const std::string into_pool =
      "  if (tvmgen_default_half(x_buffer_var, (&(global_workspace_1_var[0]))) != 0 ) return -1;\n";
  const Topology topology =
      network_of(into_pool + kCallOutOfPool, kPoolWrapper, {.module = "default"}, half);
  const Value& written = topology[*topology.calls.at(0).arguments.at(1).writes];
  EXPECT_EQ(written.bytes, 16u);
  EXPECT_EQ(written.type.bytes(), 8u);
}

/// The checks of a network with a kernel whose result begins `offset` bytes behind its input.
Codes checks_in_place(int offset, const std::string& body) {
  const std::string kernel =
      "TVM_DLL int32_t tvmgen_default_b(float* p0, float* T_add) {\n" + body + "  return 0;\n}\n";
  const std::string place = "(&(global_workspace_1_var[" + std::to_string(offset) + "]))";
  const std::string wrapper =
      "#include \"tvm/runtime/c_runtime_api.h\"\n"
      "__attribute__((section(\".bss.noinit.tvm\"), aligned(16)))\n"
      "static uint8_t global_workspace[64];\n";
  return checks_of(network_of(kCallIntoPool +
                                  "  if (tvmgen_default_b((&(global_workspace_1_var[0])), " +
                                  place + ") != 0 ) return -1;\n  if (tvmgen_default_a(" + place +
                                  ", output_buffer_var) != 0 ) return -1;\n",
                              wrapper, {.module = "default"}, kernel));
}

TEST(ResultsInPlace, MayBeWhereTheInputIsReadBeforeItIsOverwritten) {
  const auto loop = [](const std::string& statement) {
    return "  for (int32_t i = 0; i < 4; ++i) {\n    " + statement + ";\n  }\n";
  };
  const std::string plus_one = loop("T_add[i] = (p0[i] + 1.000000e+00f)");
  const std::string reversed = loop("T_add[i] = p0[(3 - i)]");
  const std::string by_scratch =
      "  float t[4];\n" + loop("t[i] = p0[(3 - i)]") + loop("T_add[i] = t[i]");
  const std::string twice = plus_one + loop("T_add[i] = (p0[i] + 2.000000e+00f)");
  EXPECT_EQ(checks_in_place(0, plus_one), Codes{});
  EXPECT_EQ(checks_in_place(0, loop("T_add[i] = p0[i]")), Codes{});
  EXPECT_EQ(checks_in_place(0, by_scratch), Codes{});
  EXPECT_EQ(checks_in_place(16, reversed), Codes{});
  EXPECT_EQ(checks_in_place(0, reversed), Codes{"storage-overlap"});
  EXPECT_EQ(checks_in_place(4, plus_one), Codes{"storage-overlap"});
  EXPECT_EQ(checks_in_place(0, twice), Codes{"storage-overlap"});
}

TEST(Gaps, ThereAreNoneWhereMainIsUnderstood) {
  const Topology topology = with_added("");
  EXPECT_EQ(topology.gaps, Codes{});
  EXPECT_EQ(topology.calls.size(), 2u);
  EXPECT_EQ(memory_totals(topology).workspace(), (ByteCount{16, Exactness::exact}));
}

/// Of a run function that passes main this as its pool.
ByteCount workspace_with_pool_at(const std::string& place) {
  const std::string wrapper = kPoolWrapper +
                              "int32_t tvmgen_default_run(struct tvmgen_default_inputs* inputs, "
                              "struct tvmgen_default_outputs* outputs) {\n"
                              "  return tvmgen_default___tvm_main__(inputs->x, outputs->output, " +
                              place + ");\n}\n";
  return memory_totals(network_of(kCallIntoPool + kCallOutOfPool, wrapper)).workspace();
}

TEST(Gaps, APoolAtAnInnerPlaceOfItsArrayHasNoKnownSize) {
  constexpr ByteCount kWhole{16, Exactness::exact};
  for (const char* place : {"global_workspace", "((uint8_t*)&global_workspace)",
                            "&global_workspace[0]", "(uint8_t*)&global_workspace[0]"}) {
    EXPECT_EQ(workspace_with_pool_at(place), kWhole) << place;
  }
  for (const char* place : {"&global_workspace[8]", "global_workspace + 8",
                            "&global_workspace[0] + 8", "&global_workspace[0 + 8]"}) {
    EXPECT_NE(workspace_with_pool_at(place), kWhole) << place;
  }
}

TEST(Gaps, AStatementThatTouchesNothingIsNoted) {
  const Topology topology = with_added("  uint32_t t0 = DWT->CYCCNT;\n");
  EXPECT_EQ(topology.gaps, Codes{});
  EXPECT_EQ(checks_of(topology), Codes{"ignored-statement"});
  EXPECT_TRUE(topology.is_sound());
  EXPECT_EQ(memory_totals(topology).workspace(), (ByteCount{16, Exactness::exact}));
}

TEST(Gaps, AfterAnUnknownStatementNoNumberIsABound) {
  for (const char* added :
       {"  HIDDEN(3);\n", "  x_buffer_var[0] += y;\n", "  goto end;\n",
        "  if (enabled) {\n    if (tvmgen_default_a(x_buffer_var, x_buffer_var) != 0 ) return "
        "-1;\n  }\n",
        "  for (int32_t k = 0; k < 3; ++k) {\n    tvmgen_default_a(x_buffer_var, x_buffer_var);\n  "
        "}\n",
        "  memset(x_buffer_var, 0, 16);\n", "  uint32_t t = tvmgen_default_a(p, q) + 1;\n"}) {
    const Topology topology = with_added(added);
    EXPECT_EQ(topology.gaps.size(), 1u) << added;
    EXPECT_EQ(topology.calls.size(), 2u) << added;
    EXPECT_FALSE(topology.is_sound()) << added;
    for (const MemoryUse& use : topology.memory) {
      EXPECT_EQ(use.exactness, Exactness::unknown) << added;
      EXPECT_FALSE(use.uncertain.empty()) << added;
    }
    // Pools are declared, whatever main does.
    EXPECT_EQ(memory_totals(topology).pools, (ByteCount{16, Exactness::exact})) << added;
    EXPECT_NE(memory_totals(topology).heap.exactness, Exactness::exact) << added;
    EXPECT_EQ(memory_totals(topology).constants.exactness, Exactness::at_least) << added;
  }
}

TEST(Gaps, AHookThatGetsNoTensorLeavesTheGraph) {
  const Topology topology = with_added("  profile_begin(3);\n");
  EXPECT_EQ(checks_of(topology), Codes{"foreign-call"});
  EXPECT_EQ(topology.calls.size(), 2u);
  EXPECT_TRUE(topology.is_sound());
  EXPECT_EQ(topology.gaps.size(), 1u);
}

TEST(Gaps, WhatAHookGetsMayBeUnknownAsLongAsItIsNotOfMain) {
  for (const char* added : {"  log_cycles(3, t0);\n", "  unsigned t0 = read_counter();\n",
                            "  uint64_t ms = esp_timer(UNIT) / 1000;\n",
                            "  ESP_LOGI(\"tvm\", \"layer %d\", 3);\n", "  LOG_INF(\"layer\");\n"}) {
    const Topology topology = with_added(added);
    EXPECT_EQ(checks_of(topology), Codes{"foreign-call"}) << added;
    EXPECT_EQ(topology.calls.size(), 2u) << added;
    EXPECT_TRUE(topology.is_sound()) << added;
    EXPECT_EQ(topology.gaps.size(), 1u) << added;
  }
}

TEST(Gaps, AnUnknownStatementMayCallEveryKernel) {
  const Topology topology =
      network_of("  HIDDEN(x_buffer_var, output_buffer_var);\n", kPoolWrapper);
  const Codes codes = checks_of(topology);
  EXPECT_EQ(std::ranges::count(codes, "unused-kernel"), 0);
}

/// The bytes of the pool that a wrapper without its declaration gives main.
ByteCount undeclared_pool(const ModuleFacts& facts) {
  const Topology topology = network_of(
      kCallIntoPool + kCallOutOfPool,
      "static uint8_t* global_workspace;\nint32_t tvmgen_default_run(void* x) {return 0;\n}\n",
      facts);
  EXPECT_TRUE(topology.is_sound());
  return memory_totals(topology).pools;
}

TEST(Gaps, APoolThatNothingDeclaresHasAtLeastTheBytesThatAreUsed) {
  EXPECT_EQ(undeclared_pool({.module = "default"}), (ByteCount{16, Exactness::at_least}));
  // A larger statement may count arrays on the stack.
  EXPECT_EQ(undeclared_pool({.module = "default", .workspace_bytes = 64}),
            (ByteCount{16, Exactness::at_least}));
}

TEST(Gaps, APoolThatNothingDeclaresHasTheBytesThatAreStatedAndUsed) {
  EXPECT_EQ(undeclared_pool({.module = "default", .workspace_bytes = 16}),
            (ByteCount{16, Exactness::exact}));
  EXPECT_EQ(undeclared_pool({.module = "default", .pool_sizes = {{"global_workspace", 4096}}}),
            (ByteCount{4096, Exactness::exact}));
}

TEST(Gaps, TheResultOfAKernelMayBeKept) {
  const Topology topology =
      network_of(kCallIntoPool +
                     "  int32_t status = tvmgen_default_a((&(global_workspace_1_var[0])), "
                     "output_buffer_var);\n"
                     "  if (status != 0) return status;\n",
                 kPoolWrapper);
  EXPECT_EQ(topology.gaps, Codes{});
  EXPECT_EQ(topology.calls.size(), 2u);
  EXPECT_TRUE(topology.is_sound());
}

}  // namespace
}  // namespace mlf::graph
