// How much memory is in use at each step, at most, and how much of it better placement would save.
#include <gtest/gtest.h>

#include "unit/graph/planned_networks.h"

namespace mlf::graph {
namespace {

using Live = std::vector<LiveBytes>;

Topology planned(const std::string& statements) {
  return network(script({planned_main(statements), planned_unary("tvmgen_default_a")}));
}

const MemoryUse& workspace_of(const Topology& topology) {
  return topology.memory.at(1);
}

TEST(MemoryUse, APoolHoldsTensorsAndWhatTheRunningKernelTakes) {
  const Topology topology = planned(
      place("sid_1_let", 0) + place("sid_2_let", 16) + planned_call("x_buffer.data, sid_1_let") +
      planned_call("sid_1_let, sid_2_let") + planned_call("sid_2_let, output_buffer.data"));
  const MemoryUse& use = workspace_of(topology);
  EXPECT_EQ(use.pool, PoolId{1});
  EXPECT_EQ(use.bytes, 48u);
  EXPECT_EQ(use.used, 48u);
  EXPECT_EQ(use.live, (Live{{0, 32}, {1, 48}, {2, 32}}));
  ASSERT_TRUE(use.peak);
  EXPECT_EQ(use.peak->position, 1u);
  EXPECT_EQ(use.peak->call, CallId{1});
  EXPECT_EQ(use.peak->bytes, 48u);
  EXPECT_EQ(use.exactness, Exactness::exact);
}

TEST(MemoryUse, ConstantsAreInUseAllTheTime) {
  const Topology topology =
      planned(place("sid_1_let", 0) + planned_call("x_buffer.data, sid_1_let") +
              planned_call("sid_1_let, output_buffer.data"));
  const MemoryUse& use = topology.memory.at(0);
  EXPECT_EQ(use.bytes, 64u);
  EXPECT_EQ(use.used, 32u);
  EXPECT_EQ(use.live, (Live{{0, 16}}));
}

TEST(MemoryUse, IdleBytesBelowTheLastByteAreUsed) {
  const Topology topology =
      planned(place("sid_1_let", 16) + planned_call("x_buffer.data, sid_1_let") +
              planned_call("sid_1_let, output_buffer.data"));
  const MemoryUse& use = workspace_of(topology);
  EXPECT_EQ(use.peak->bytes, 32u);
  EXPECT_EQ(use.used, 48u);
}

// At the peak (32 bytes) no byte lies idle; the last byte is used by another step.
TEST(MemoryUse, TheLastByteMayBeInUseAtAnotherStepThanThePeak) {
  const Topology topology = network(
      script({planned_main(place("sid_1_let", 0) + place("sid_2_let", 16) + place("sid_3_let", 32) +
                           call("tvmgen_default_b", "x_buffer.data, sid_1_let") +
                           call("tvmgen_default_b", "sid_1_let, sid_2_let") +
                           call("tvmgen_default_b", "sid_2_let, output_buffer.data") +
                           call("tvmgen_default_b", "output_buffer.data, sid_3_let")),
              unary("tvmgen_default_b")}));
  const MemoryUse& use = workspace_of(topology);
  EXPECT_EQ(use.peak->call, CallId{1});
  EXPECT_EQ(use.peak->bytes, 32u);
  EXPECT_EQ(use.used, 48u);
}

// Positions count device hooks and copies as well.
TEST(MemoryUse, ThePeakNamesItsCallNotOnlyItsPosition) {
  const Topology topology = network(
      script({main_of({"x", "output"},
                      "T.tvm_check_return(0, -1, T.call_extern(\"int32\", "
                      "\"TVMDeviceEthosUActivate\", T.reinterpret(\"handle\", T.uint64(0))))\n" +
                          sid("sid_1") + call("tvmgen_default_a", "x_buffer.data, sid_1") +
                          call("tvmgen_default_a", "sid_1, output_buffer.data")),
              unary("tvmgen_default_a")}));
  const MemoryUse& use = topology.memory.at(0);
  ASSERT_TRUE(use.peak);
  EXPECT_EQ(use.peak->position, 1u);
  EXPECT_EQ(use.peak->call, CallId{0});
}

TEST(MemoryUse, BytesThatTwoTensorsShareAreInUseOnce) {
  const Topology topology =
      network(script({planned_main(place("sid_1_let", 0) + place("sid_2_let", 8) +
                                   call("tvmgen_default_b", "x_buffer.data, sid_1_let") +
                                   call("tvmgen_default_b", "sid_1_let, sid_2_let") +
                                   call("tvmgen_default_b", "sid_2_let, output_buffer.data")),
                      unary("tvmgen_default_b")}));
  const MemoryUse& use = workspace_of(topology);
  EXPECT_EQ(use.peak->bytes, 24u);
  EXPECT_EQ(use.used, 24u);
}

TEST(MemoryUse, BytesThatAnInputAndAnOutputShareCountOnce) {
  const Topology topology = planned(
      place("sid_1_let", 0) + place("sid_2_let", 8) + planned_call("x_buffer.data, sid_1_let") +
      planned_call("sid_1_let, sid_2_let") + planned_call("sid_2_let, output_buffer.data"));
  EXPECT_EQ(workspace_of(topology).live, (Live{{0, 32}, {1, 40}, {2, 32}}));
}

TEST(MemoryUse, AResultThatNothingReadsIsInUseWhileItIsMade) {
  const Topology topology =
      planned(place("sid_1_let", 0) + planned_call("x_buffer.data, sid_1_let") +
              planned_call("x_buffer.data, output_buffer.data"));
  EXPECT_EQ(workspace_of(topology).live, (Live{{0, 32}, {1, 16}}));
}

/// A kernel from `p0` to `out` that keeps a copy in an array of so many float32.
std::string with_scratch(std::string_view name, std::size_t elements) {
  const std::string count = std::to_string(elements);
  return kernel(name, "p0: T.Buffer((4,), \"float32\"), out: T.Buffer((4,), \"float32\")",
                "local = T.allocate([" + count + "], \"float32\", \"global\")\n" +
                    "local_1 = T.Buffer((" + count + ",), data=local)\n" +
                    "for i in range(4):\n    local_1[i] = p0[i]\n    out[i] = local_1[i]");
}

std::string main_with_two_sids(std::string_view second) {
  return main_of({"x", "output"}, sid("sid_1", 16) + sid("sid_2", 24) +
                                      call("tvmgen_default_a", "x_buffer.data, sid_1") +
                                      call(second, "sid_1, sid_2") +
                                      call("tvmgen_default_a", "sid_2, output_buffer.data"));
}

TEST(MemoryUse, OnTheHeapAllAllocationsAreSideBySide) {
  const Topology topology =
      network(script({main_with_two_sids("tvmgen_default_b"), unary("tvmgen_default_a"),
                      with_scratch("tvmgen_default_b", 256)}));
  ASSERT_EQ(topology.memory.size(), 1u);
  const MemoryUse& use = topology.memory[0];
  EXPECT_EQ(use.kind, MemoryKind::heap);
  EXPECT_EQ(use.pool, std::nullopt);
  EXPECT_EQ(use.bytes, 1072u);  // blocks are multiples of 16 bytes
  EXPECT_EQ(use.live, (Live{{0, 16}, {1, 1056}, {2, 16}}));
  EXPECT_EQ(use.peak->call, CallId{1});
  EXPECT_EQ(use.exactness, Exactness::exact);
}

// runtime::kMaxStackAlloca: LowerTVMBuiltin leaves less than 1,024 bytes to the C compiler.
TEST(MemoryUse, SmallAllocationsOfKernelsAreArraysOnTheStack) {
  const Topology topology =
      network(script({main_with_two_sids("tvmgen_default_b"), unary("tvmgen_default_a"),
                      with_scratch("tvmgen_default_b", 255)}));
  ASSERT_EQ(topology.memory.size(), 2u);
  EXPECT_EQ(topology.memory[0].kind, MemoryKind::heap);
  EXPECT_EQ(topology.memory[0].used, 48u);
  EXPECT_EQ(topology.memory[1].kind, MemoryKind::stack);
  EXPECT_EQ(topology.memory[1].used, 1020u);
  EXPECT_EQ(topology.memory[1].live, (Live{{0, 0}, {1, 1020}, {2, 0}}));
  EXPECT_EQ(topology.kernels[1].workspaces.at(0).memory, MemoryKind::stack);
}

/// A kernel that allocates `first`, and `second` inside of it or behind it.
std::string with_two_scratches(std::string_view between) {
  const auto use = [](const std::string& name) {
    return name + "_1 = T.Buffer((512,), data=" + name + ")\n";
  };
  return kernel(
      "tvmgen_default_b", "p0: T.Buffer((4,), \"float32\"), out: T.Buffer((4,), \"float32\")",
      "with T.allocate([512], \"float32\", \"global\") as first:\n    " + use("first") +
          "    for i in range(4):\n        first_1[i] = p0[i]\n" + std::string(between) +
          "with T.allocate([512], \"float32\", \"global\") as second:\n        " + use("second") +
          "        for i in range(4):\n            second_1[i] = p0[i]\n"
          "for i in range(4):\n    out[i] = p0[i]");
}

TEST(MemoryUse, AllocationsOfAKernelInsideOneAnotherAreThereTogether) {
  const auto heap_of = [](const std::string& kernel_text) {
    return network(script({main_of({"x", "output"},
                                   call("tvmgen_default_b", "x_buffer.data, output_buffer.data")),
                           kernel_text}))
        .memory.at(0)
        .used;
  };
  EXPECT_EQ(heap_of(with_two_scratches("    ")), 4096u);
  EXPECT_EQ(heap_of(with_two_scratches("if True:\n    ")), 2048u);
}

TEST(MemoryUse, WhatMayNotBeAllocatedIsAnUpperBound) {
  const Topology topology = network(script(
      {main_of({"x", "output"}, call("tvmgen_default_b", "x_buffer.data, output_buffer.data")),
       kernel("tvmgen_default_b",
              "p0: T.Buffer((4,), \"float32\"), out: T.Buffer((4,), \"float32\")",
              "for i in range(4):\n    out[i] = p0[i]\n"
              "if p0[0] > T.float32(0):\n"
              "    with T.allocate([512], \"float32\", \"global\") as local:\n"
              "        local_1 = T.Buffer((512,), data=local)\n"
              "        for i in range(4):\n            local_1[i] = p0[i]")}));
  const MemoryUse& use = topology.memory.at(0);
  EXPECT_EQ(use.used, 2048u);
  EXPECT_EQ(use.exactness, Exactness::at_most);
  EXPECT_EQ(use.uncertain,
            std::vector<std::string>{"'tvmgen_default_b' allocates under a condition: 'local'"});
}

TEST(MemoryUse, AllocationsThatMainNeverUsesAreInUse) {
  const Topology topology = network(
      script({main_of({"x", "output"}, sid("sid_1") + sid("sid_2", 100) +
                                           call("tvmgen_default_a", "x_buffer.data, sid_1") +
                                           call("tvmgen_default_a", "sid_1, output_buffer.data")),
              unary("tvmgen_default_a")}));
  EXPECT_EQ(topology.storages.back().name, "sid_2");
  EXPECT_EQ(topology.memory.at(0).used, 128u);
}

TEST(MemoryUse, ConstantsOutsideOfPoolsTakeNoMemoryWhileTheNetworkRuns) {
  const Topology topology = network(script(
      {main_of({"x", "output"},
               "constant_0 = T.allocate_const([1.0, 2.0, 3.0, 4.0], \"float32\", [4])\n" +
                   call("tvmgen_default_c", "x_buffer.data, constant_0, output_buffer.data")),
       binary("tvmgen_default_c")}));
  EXPECT_TRUE(topology.memory.empty());
  EXPECT_EQ(topology[topology.values.at(1).storage].memory, MemoryKind::program);
}

TEST(MemoryUse, OutputsInPoolsStayInUse) {
  std::string main = planned_main(place("output_buffer_var_let", 16) +
                                  place("x_buffer_var_let", 0) + place("sid_1_let", 32) +
                                  planned_call("x_buffer_var_let, output_buffer_var_let") +
                                  planned_call("x_buffer_var_let, sid_1_let"));
  for (const std::string port : {"x", "output"}) {
    main.replace(main.find(port + ": T.handle, "), port.size() + 12, "");
    const std::size_t line = main.find("        " + port + "_buffer = ");
    main.erase(line, main.find('\n', line) + 1 - line);
  }
  const Topology topology = network(script({main, planned_unary("tvmgen_default_a")}));
  EXPECT_EQ(workspace_of(topology).live, (Live{{0, 48}}));
}

TEST(MemoryUse, WhatForeignCodeTakesFromAPoolIsNotKnown) {
  const Topology topology = network(script({planned_main(
      "T.tvm_check_return(0, -1, T.call_extern(\"int32\", \"tvmgen_default_cc_main_0\", "
      "x_buffer.data, output_buffer.data, global_workspace_1_buffer_var.data))\n")}));
  EXPECT_EQ(topology.memory.at(0).exactness, Exactness::exact);
  EXPECT_EQ(workspace_of(topology).exactness, Exactness::at_least);
  EXPECT_EQ(workspace_of(topology).uncertain,
            std::vector<std::string>{"'tvmgen_default_cc_main_0' has no TIR"});
}

// "None" and "unknown" are two things: the regions are there, and say that there may be more.
TEST(MemoryUse, WhatForeignCodeAllocatesIsNotKnown) {
  const Topology topology = network(script({main_of(
      {"x", "output"}, call("tvmgen_default_cc_main_0", "x_buffer.data, output_buffer.data"))}));
  ASSERT_EQ(topology.memory.size(), 2u);
  for (const MemoryUse& use : topology.memory) {
    EXPECT_EQ(use.exactness, Exactness::at_least);
    EXPECT_EQ(use.bytes, std::nullopt);
  }
}

TEST(MemoryUse, OfARealNetworkFillsItsPool) {
  for (const std::string version : {"tvm-0.9", "tvm-0.16"}) {
    const Topology topology =
        network(read_file(std::string(MLF_TEST_DATA) + "/graph/" + version + "-usmp.txt"));
    ASSERT_EQ(topology.memory.size(), topology.pools.size()) << version;
    for (const MemoryUse& use : topology.memory) {
      EXPECT_EQ(use.exactness, Exactness::exact) << version;
      EXPECT_EQ(use.bytes, use.used) << version;
      EXPECT_LE(use.peak->bytes, use.used) << version;
    }
  }
}

}  // namespace
}  // namespace mlf::graph
