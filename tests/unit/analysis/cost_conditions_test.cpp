// How often code runs that is under conditions, and in loops of other than constant length.
#include "unit/analysis/cost_of.h"

namespace mlf::analysis {
namespace {

TEST(KernelCost, AGuardIsCountedIterationByIteration) {
  const KernelCost cost = cost_of(R"(
    for i, j in T.grid(3, 4):
        if T.likely(i * 4 + j < 10):
            B[i * 4 + j] = A[i * 4 + j] + W[0]
)");
  EXPECT_EQ(exactly(buffer(cost, "B").stores), 10);
  EXPECT_EQ(exactly(operations(cost, Operation::add_subtract)), 10);
}

TEST(KernelCost, TheOtherBranchHasTheRest) {
  const KernelCost cost = cost_of(R"(
    for i, j in T.grid(5, 7):
        if i < 2 and j < 3:
            B[i] = A[j]
        else:
            for k in range(2):
                B[i] = W[k]
)");
  EXPECT_EQ(exactly(buffer(cost, "A").loads), 6);
  EXPECT_EQ(exactly(buffer(cost, "W").loads), 2 * (35 - 6));
}

TEST(KernelCost, ANumberAsAConditionIsTrueIfItIsNotZero) {
  const auto macs_if = [](const std::string& condition, int iterations) {
    return exactly(cost_of("    for i in range(" + std::to_string(iterations) + "):\n        if " +
                           condition + ":\n            B[0] = B[0] + A[0] * W[0]\n")
                       .mac);
  };
  EXPECT_EQ(macs_if("T.bitwise_and(i, 4)", 16), 8);
  EXPECT_EQ(macs_if("T.shift_right(i, 2)", 8 << 20), (8 << 20) - 4);
}

// The difference of the bounds is no number of 64 bits.
TEST(KernelCost, ALoopBetweenTheEndsOfItsTypeIsNotCountedAsOne) {
  const std::string least = "T.int64(-9223372036854775808)";
  const std::string most = "T.int64(9223372036854775807)";
  const auto mac_of = [](const std::string& from, const std::string& to) {
    return cost_of("    for i in range(" + from + ", " + to +
                   "):\n        B[0] = B[0] + A[0] * W[0]")
        .mac;
  };
  EXPECT_FALSE(mac_of(most, least).is_known());
  EXPECT_FALSE(mac_of(least, most).is_known());
  EXPECT_EQ(mac_of("T.int64(0)", most), Count(INT64_MAX));
  EXPECT_EQ(mac_of("T.int64(1)", most), Count(INT64_MAX - 1));
}

TEST(KernelCost, ASumOfIterationsBeyondTheLargestNumberIsUnknown) {
  const Count mac = cost_of(
                        "    for i in range(T.int64(4)):\n"
                        "        for j in range(i, T.int64(4611686018427387904) + i):\n"
                        "            B[0] = B[0] + A[0] * W[0]")
                        .mac;
  EXPECT_FALSE(mac.is_known());
}

TEST(KernelCost, SelectEvaluatesBothValues) {
  const KernelCost cost = cost_of(R"(
    for i in range(10):
        B[i] = T.Select(i < 4, A[i], W[i])
    for i in range(10):
        B[i] = T.if_then_else(i < 4, A[i], W[i])
)");
  EXPECT_EQ(exactly(buffer(cost, "A").loads), 10 + 4);
  EXPECT_EQ(exactly(buffer(cost, "W").loads), 10 + 6);
}

TEST(KernelCost, SelectEvaluatesOneValueIfNumbersDecide) {
  const KernelCost cost = cost_of(R"(
    for i in range(10):
        B[i] = T.Select(T.NE(0, 0), A[i], W[i])
)");
  EXPECT_EQ(cost.loaded, analysis::Count(40));
  EXPECT_EQ(exactly(buffer(cost, "W").loads), 10);
}

TEST(KernelCost, ATriangleOfLoopsIsCountedExactly) {
  const KernelCost cost = cost_of(R"(
    for i in range(10):
        for j in range(i + 1):
            B[i] = A[j]
    for i in range(7):
        for j in range(T.min(16, 100 - i * 16)):
            B[i] = W[j]
)");
  EXPECT_EQ(exactly(buffer(cost, "A").loads), 55);
  EXPECT_EQ(exactly(buffer(cost, "W").loads), 100);
}

TEST(KernelCost, ConditionsOnDataAreARange) {
  const KernelCost cost = cost_of(R"(
    for i in range(10):
        if A[i] > T.float32(0):
            B[i] = W[i]
)");
  EXPECT_EQ(buffer(cost, "W").loads, Count(0, 10));
  EXPECT_EQ(exactly(buffer(cost, "A").loads), 10);
  EXPECT_EQ(cost.uncertain.size(), 1);
}

TEST(KernelCost, BoundsFromDataAreUnknown) {
  const KernelCost cost = cost_of(R"(
    for i in range(10):
        for j in range(T.Cast("int32", A[i])):
            B[i] = B[i] + A[j] * W[j]
)");
  EXPECT_EQ(cost.mac, Count(0, std::nullopt));
  EXPECT_EQ(cost.uncertain.size(), 1);
}

TEST(KernelCost, VectorsThatAreStoredInPartAreARange) {
  const KernelCost cost = cost_of(R"(
    B.vstore([T.Ramp(0, 1, 4)], T.Broadcast(T.float32(1), 4), predicate=T.get_active_lane_mask("uint1x4", 0, 3))
)");
  EXPECT_EQ(buffer(cost, "B").stores, Count(0, 4));
  EXPECT_EQ(cost.uncertain.size(), 1);
}

TEST(KernelCost, AWhileIsUnknown) {
  const KernelCost cost = cost_of(R"(
    while B[0] < T.float32(3):
        B[0] = B[0] + A[0]
    B[1] = A[1]
)");
  EXPECT_EQ(buffer(cost, "B").stores, Count(1, std::nullopt));
  EXPECT_EQ(cost.uncertain.size(), 1);
}

TEST(KernelCost, LoopsOfDifferentLengthSayTheirRange) {
  const KernelCost cost = cost_of(R"(
    for i in range(7):
        for j in range(T.min(16, 100 - i * 16)):
            B[i] = W[j]
)");
  ASSERT_EQ(cost.loops.size(), 2);
  EXPECT_EQ(cost.loops[1].extent, Count(4, 16));
  EXPECT_EQ(exactly(cost.loops[1].iterations), 100);
}

TEST(KernelCost, NestedConditionsAreCountedExactly) {
  const KernelCost cost = cost_of(R"(
    for i, j, k in T.grid(6, 6, 4):
        if i < 3 or j < 2:
            if k == 1:
                B[i] = A[j]
            elif k < 3 and i != j:
                B[i] = W[j]
)");
  // 18 + 6 of the 36 pairs; of these, 3 + 0 are on the diagonal.
  EXPECT_EQ(exactly(buffer(cost, "A").loads), 24);
  EXPECT_EQ(exactly(buffer(cost, "W").loads), 2 * (24 - 3));
}

TEST(KernelCost, FloorDivisionsOfFusedLoopsAreCounted) {
  const KernelCost cost = cost_of(R"(
    for f in range(120):
        if T.likely(f // 12 * 3 + f % 12 % 3 < 20 and 1 <= f // 3 % 4):
            B[f] = A[f]
)");
  std::uint64_t wanted = 0;
  for (int f = 0; f < 120; ++f) wanted += f / 12 * 3 + f % 12 % 3 < 20 && 1 <= f / 3 % 4 ? 1 : 0;
  EXPECT_EQ(exactly(buffer(cost, "A").loads), wanted);
}

TEST(KernelCost, TooManyIterationsAreARange) {
  const KernelCost cost = cost_of(R"(
    for i, j in T.grid(100000, 100000):
        if i * j % 7 == 3:
            B[0] = A[0]
)");
  EXPECT_EQ(buffer(cost, "A").loads, Count(0, 10'000'000'000));
  EXPECT_EQ(cost.uncertain.size(), 1);
}

// By ranges: far more iterations than can be run.
TEST(KernelCost, AGuardOfManyIterationsIsCountedByArithmetic) {
  const KernelCost cost = cost_of(R"(
    for i in range(3000000):
        if i < 2999990:
            B[0] = A[0]
    for i, j in T.grid(100000, 64):
        if T.likely(i * 64 + j < 6399937):
            B[0] = W[0]
)");
  EXPECT_EQ(exactly(buffer(cost, "A").loads), 2'999'990);
  EXPECT_EQ(exactly(buffer(cost, "W").loads), 6'399'937);
  EXPECT_TRUE(cost.uncertain.empty());
}

// A padded image, whose frame is left out, and its frame alone.
TEST(KernelCost, GuardsOnTwoLoopsAreCountedByArithmetic) {
  const KernelCost cost = cost_of(R"(
    for y, x, c in T.grid(2050, 2050, 3):
        if 1 <= y and y < 2049 and 1 <= x and x < 2049:
            B[0] = A[0]
        else:
            B[0] = W[0]
    for y, x in T.grid(5000, 5000):
        if y == x:
            B[1] = A[1]
)");
  EXPECT_EQ(exactly(buffer(cost, "A").loads), 2048 * 2048 * 3 + 5000);
  EXPECT_EQ(exactly(buffer(cost, "W").loads), (2050 * 2050 - 2048 * 2048) * 3);
}

TEST(KernelCost, ConditionsOnParametersAreARange) {
  const KernelCost cost = cost_of_text(R"(
# from tvm.script import tir as T
@T.prim_func
def f(a: T.handle, n: T.int32, B: T.Buffer((64,), "float32")):
    A = T.match_buffer(a, (64,), "float32")
    for i in range(10):
        if i < n:
            B[i] = A[i]
    for i in range(n):
        B[i] = B[i] + T.float32(1)
)");
  EXPECT_EQ(buffer(cost, "A").loads, Count(0, 10));
  EXPECT_EQ(operations(cost, Operation::add_subtract), Count(0, std::nullopt));
}

TEST(KernelCost, TheInitOfABlockRunsInTheFirstIteration) {
  const KernelCost cost = cost_of(R"(
    for i, j, k in T.grid(8, 8, 16):
        with T.block("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                B[vi * 8 + vj] = T.float32(0)
            B[vi * 8 + vj] = B[vi * 8 + vj] + A[vi * 16 + vk] * W[vj * 16 + vk]
)");
  EXPECT_EQ(exactly(cost.mac), 8 * 8 * 16);
  EXPECT_EQ(exactly(buffer(cost, "B").stores), 8 * 8 * 16 + 8 * 8);
}

}  // namespace
}  // namespace mlf::analysis
