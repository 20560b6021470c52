// What metadata.json says of memory, beside what the network takes, and TVM's reason.
#include "mlf/inspection.h"

#include <gtest/gtest.h>

#include "unit/graph/networks.h"
#include "unit/graph/planned_networks.h"

namespace mlf {
namespace {

using graph::ByteCount;
using graph::call;
using graph::Exactness;
using graph::main_of;
using graph::network;
using graph::script;
using graph::sid;
using graph::Topology;
using graph::unary;

Module module_claiming(std::uint64_t workspace, std::uint64_t constants, std::uint64_t io) {
  Module module;
  module.memory.main.push_back({.device = 1,
                                .workspace_size_bytes = workspace,
                                .constants_size_bytes = constants,
                                .io_size_bytes = io,
                                .inputs = {},
                                .outputs = {}});
  return module;
}

/// From x to output by way of sid_1 (16 bytes): a kernel with a constant of 16 bytes and an array
/// of 20 on the stack, called twice.
Topology two_calls() {
  return network(script(
      {main_of({"x", "output"}, sid("sid_1") + call("tvmgen_default_a", "x_buffer.data, sid_1") +
                                    call("tvmgen_default_a", "sid_1, output_buffer.data")),
       graph::kernel("tvmgen_default_a",
                     "p0: T.Buffer((4,), \"float32\"), T_add: T.Buffer((4,), \"float32\")",
                     "weight = T.allocate_const([1.0, 2.0, 3.0, 4.0], \"float32\", [4])\n"
                     "row = T.allocate([5], \"float32\", \"global\")\n"
                     "for i in range(4):\n"
                     "    weight_1 = T.Buffer((4,), data=weight)\n"
                     "    row_1 = T.Buffer((5,), data=row)\n"
                     "    row_1[i] = p0[i] * weight_1[i]\n"
                     "    T_add[i] = row_1[i]")}));
}

const MemoryClaim& about(const std::vector<MemoryClaim>& claims, ClaimKind kind) {
  return claims.at(static_cast<std::size_t>(kind));
}

TEST(MemoryTotals, AreThoseOfInputsOutputsConstantsAndWorkspace) {
  const graph::MemoryTotals totals = graph::memory_totals(two_calls());
  EXPECT_EQ(totals.inputs_and_outputs, (ByteCount{32, Exactness::exact}));
  EXPECT_EQ(totals.constants, (ByteCount{16, Exactness::exact}));
  EXPECT_EQ(totals.heap, (ByteCount{16, Exactness::exact}));
  EXPECT_EQ(totals.stack, (ByteCount{20, Exactness::exact}));
  EXPECT_EQ(totals.workspace(), (ByteCount{36, Exactness::exact}));
}

TEST(MemoryTotals, ConstantsOfPoolsAreAsLargeAsThePool) {
  const graph::MemoryTotals totals = graph::memory_totals(
      network(script({graph::planned_main(graph::planned_call("x_buffer.data, output_buffer.data")),
                      graph::planned_unary("tvmgen_default_a")})));
  EXPECT_EQ(totals.constants, (ByteCount{64, Exactness::exact}));
  EXPECT_EQ(totals.pools, (ByteCount{48, Exactness::exact}));
  EXPECT_EQ(totals.heap, ByteCount{});
}

TEST(MemoryTotals, BeyondTheLargestNumberHaveNoMaximum) {
  using graph::ByteCount;
  using graph::Exactness;
  const std::uint64_t half = std::uint64_t{1} << 62;
  const std::uint64_t most = INT64_MAX;
  const auto sum = [](ByteCount a, const ByteCount& b) { return a += b; };
  EXPECT_EQ(sum({half}, {half - 2}), (ByteCount{most - 1, Exactness::exact}));
  EXPECT_EQ(sum({half}, {half}), (ByteCount{most, Exactness::at_least}));
  EXPECT_EQ(sum({half, Exactness::at_most}, {half}), (ByteCount{most, Exactness::unknown}));
}

TEST(MemoryTotals, OfForeignCodeAreNotKnown) {
  const graph::MemoryTotals totals = graph::memory_totals(network(script({main_of(
      {"x", "output"}, call("tvmgen_default_cc_main_0", "x_buffer.data, output_buffer.data"))})));
  EXPECT_EQ(totals.constants, (ByteCount{0, Exactness::at_least}));
  EXPECT_EQ(totals.workspace(), (ByteCount{0, Exactness::at_least}));
  EXPECT_EQ(totals.inputs_and_outputs, (ByteCount{32, Exactness::exact}));
}

TEST(MemoryClaims, AreBesideWhatTheNetworkTakes) {
  const auto claims = memory_claims(module_claiming(36, 16, 32), two_calls());
  ASSERT_EQ(claims.size(), 3u);
  for (const MemoryClaim& claim : claims) {
    EXPECT_TRUE(claim.agrees()) << to_string(claim.kind);
    EXPECT_EQ(claim.reason_code, std::nullopt);
    EXPECT_EQ(claim.reason, "");
  }
}

TEST(MemoryClaims, OfInputsAndOutputsAreAllValuesOfMain) {
  const auto claims = memory_claims(module_claiming(36, 16, 48), two_calls());
  const MemoryClaim& io = about(claims, ClaimKind::inputs_and_outputs);
  EXPECT_FALSE(io.agrees());
  EXPECT_EQ(io.found.bytes, 32u);
  EXPECT_EQ(io.reason_code, ClaimReason::every_value);
  EXPECT_EQ(io.reason, "TVM counts every value of main as an input or output");
}

TEST(MemoryClaims, OfConstantsLeaveOutThoseOfKernels) {
  const auto claims = memory_claims(module_claiming(36, 0, 32), two_calls());
  EXPECT_EQ(about(claims, ClaimKind::constants).reason,
            "TVM counts constants of main and of pools, not those in kernels");
}

TEST(MemoryClaims, OfWorkspaceAreRoundedUp) {
  const auto claims = memory_claims(module_claiming(48, 16, 32), two_calls());
  EXPECT_EQ(about(claims, ClaimKind::workspace).reason,
            "TVM adds the largest workspace of a kernel to what main allocates, rounding "
            "allocations up to 16 bytes");
}

// Two outputs of 16 bytes: for TVM each is a tuple of 32.
TEST(MemoryClaims, OfTheGraphExecutorCountATupleForEachOfItsFields) {
  const std::string buffers =
      "p0: T.Buffer((4,), \"float32\"), p1: T.Buffer((4,), \"float32\"), "
      "p2: T.Buffer((4,), \"float32\")";
  Topology topology =
      network(script({main_of({"x", "output"},
                              sid("sid_1") + sid("sid_2") +
                                  call("tvmgen_default_split", "x_buffer.data, sid_1, sid_2") +
                                  call("tvmgen_default_join", "sid_1, sid_2, output_buffer.data")),
                      graph::kernel("tvmgen_default_split", buffers,
                                    "for i in range(4):\n    p1[i] = p0[i]\n    p2[i] = p0[i]"),
                      graph::kernel("tvmgen_default_join", buffers,
                                    "for i in range(4):\n    p2[i] = p0[i] + p1[i]")}));
  topology.provenance.kind = graph::ProvenanceKind::graph_json;
  const auto claims = memory_claims(module_claiming(64, 0, 32), topology);
  EXPECT_TRUE(about(claims, ClaimKind::workspace)
                  .reason.starts_with("TVM counts for each output of a kernel all of its outputs"));
}

// A reason is given only where it gives the very number.
TEST(MemoryClaims, ThatNothingExplainsHaveNoReason) {
  for (const MemoryClaim& claim : memory_claims(module_claiming(47, 3, 31), two_calls())) {
    EXPECT_FALSE(claim.agrees()) << to_string(claim.kind);
    EXPECT_EQ(claim.reason_code, std::nullopt);
    EXPECT_EQ(claim.reason, "");
  }
}

TEST(MemoryClaims, CanBeTrueWhereTheNetworkIsNotKnownExactly) {
  const Topology foreign = network(script({main_of(
      {"x", "output"}, call("tvmgen_default_cc_main_0", "x_buffer.data, output_buffer.data"))}));
  const auto claims = memory_claims(module_claiming(64, 8, 32), foreign);
  EXPECT_TRUE(about(claims, ClaimKind::constants).agrees());
  EXPECT_TRUE(about(claims, ClaimKind::workspace).agrees());
}

TEST(MemoryClaims, OfSeveralDevicesAreAddedAndMissingOnesLeftOut) {
  Module module = module_claiming(16, 0, 32);
  module.memory.main.push_back(module.memory.main.front());
  for (MainMemory& main : module.memory.main) main.constants_size_bytes.reset();
  const auto claims = memory_claims(module);
  ASSERT_EQ(claims.size(), 2u);
  EXPECT_EQ(claims[0].kind, ClaimKind::inputs_and_outputs);
  EXPECT_EQ(claims[0].claimed, 64u);
  EXPECT_EQ(claims[1].kind, ClaimKind::workspace);
  EXPECT_EQ(claims[1].claimed, 32u);
  EXPECT_TRUE(memory_claims(Module{}).empty());
}

}  // namespace
}  // namespace mlf
