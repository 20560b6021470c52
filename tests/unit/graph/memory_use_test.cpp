// How much memory is in use at each step, at most, and how much of it lies idle.
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
  EXPECT_EQ(use.peak->bytes, 48u);
  EXPECT_EQ(use.peak->fragmentation(), 0u);
  EXPECT_TRUE(use.is_complete);
}

TEST(MemoryUse, ConstantsAreInUseAllTheTime) {
  const Topology topology =
      planned(place("sid_1_let", 0) + planned_call("x_buffer.data, sid_1_let") +
              planned_call("sid_1_let, output_buffer.data"));
  const MemoryUse& use = topology.memory.at(0);
  EXPECT_EQ(use.bytes, 64u);
  EXPECT_EQ(use.used, 32u);
  EXPECT_EQ(use.live, (Live{{0, 16}}));
  EXPECT_EQ(use.peak->fragmentation(), 16u);
}

TEST(MemoryUse, FragmentationIsWhatLiesIdleBelowTheLastByteInUse) {
  const Topology topology =
      planned(place("sid_1_let", 16) + planned_call("x_buffer.data, sid_1_let") +
              planned_call("sid_1_let, output_buffer.data"));
  const MemoryUse& use = workspace_of(topology);
  EXPECT_EQ(use.peak->bytes, 32u);
  EXPECT_EQ(use.peak->extent, 48u);
  EXPECT_EQ(use.peak->fragmentation(), 16u);
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

TEST(MemoryUse, OutsideOfPoolsAllAllocationsStandSideBySide) {
  const Topology topology = network(
      script({main_of({"x", "output"}, sid("sid_1", 16) + sid("sid_2", 24) +
                                           call("tvmgen_default_a", "x_buffer.data, sid_1") +
                                           call("tvmgen_default_b", "sid_1, sid_2") +
                                           call("tvmgen_default_a", "sid_2, output_buffer.data")),
              unary("tvmgen_default_a"),
              kernel("tvmgen_default_b",
                     "p0: T.Buffer((4,), \"float32\"), out: T.Buffer((4,), \"float32\")",
                     "local = T.allocate([8], \"float32\", \"global\")\n"
                     "local_1 = T.Buffer((8,), data=local)\n"
                     "for i in range(4):\n    local_1[i] = p0[i]\n    out[i] = local_1[i]")}));
  ASSERT_EQ(topology.memory.size(), 1u);
  const MemoryUse& use = topology.memory[0];
  EXPECT_EQ(use.pool, std::nullopt);
  EXPECT_EQ(use.bytes, 72u);
  EXPECT_EQ(use.live, (Live{{0, 16}, {1, 64}, {2, 16}}));
  EXPECT_EQ(use.peak->position, 1u);
  EXPECT_EQ(use.peak->extent, 72u);
  EXPECT_EQ(use.peak->fragmentation(), 8u);
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
  EXPECT_TRUE(topology.memory.at(0).is_complete);
  EXPECT_FALSE(workspace_of(topology).is_complete);
}

TEST(MemoryUse, OfARealNetworkFillsItsPool) {
  for (const std::string version : {"tvm-0.9", "tvm-0.16"}) {
    const Topology topology =
        network(read_file(std::string(MLF_TEST_DATA) + "/graph/" + version + "-usmp.txt"));
    ASSERT_EQ(topology.memory.size(), topology.pools.size()) << version;
    for (const MemoryUse& use : topology.memory) {
      EXPECT_TRUE(use.is_complete) << version;
      EXPECT_EQ(use.bytes, use.used) << version;
      EXPECT_LE(use.peak->bytes, use.used) << version;
    }
  }
}

}  // namespace
}  // namespace mlf::graph
