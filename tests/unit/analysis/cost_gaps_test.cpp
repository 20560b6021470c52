// Costs of kernels that have code which is not understood, or which may end before their end.
#include "unit/analysis/cost_of.h"

namespace mlf::analysis {
namespace {

const Count kUnknown{0, std::nullopt};

constexpr std::string_view kDense = R"(
    for o in range(12):
        B[o] = T.float32(0)
        for k in range(64):
            B[o] = B[o] + A[k] * W[o * 64 + k]
)";

KernelCost with_unknown_call() {
  return cost_of(std::string("\n    T.evaluate(T.call_extern(\"int32\", \"hidden\", 3))") +
                 std::string(kDense));
}

TEST(CostGaps, AnUnknownCalleeMakesEveryNumberUnknown) {
  const KernelCost cost = with_unknown_call();
  EXPECT_EQ(cost.gaps, std::vector<std::string>{"the effect of 'hidden' is unknown"});
  EXPECT_EQ(cost.uncertain, cost.gaps);
  for (const Count& count : {cost.mac, cost.loaded, cost.stored, cost.index_operations,
                             cost.index_divisions, cost.loops[1].mac, cost.loops[1].iterations,
                             buffer(cost, "A").loads, buffer(cost, "B").bytes_stored}) {
    EXPECT_EQ(count, kUnknown);
  }
}

TEST(CostGaps, TheLoopsThatAreReadStayThere) {
  const KernelCost cost = with_unknown_call();
  ASSERT_EQ(cost.loops.size(), 2u);
  EXPECT_EQ(exactly(cost.loops[1].extent), 64u);
}

TEST(CostGaps, FunctionsOfLibrariesAreNone) {
  EXPECT_TRUE(
      cost_of("    B[0] = T.call_pure_extern(\"float32\", \"tanhf\", A[0])\n").gaps.empty());
  EXPECT_TRUE(cost_of("    T.evaluate(T.call_extern(\"int32\", \"gemm_4x8x2_body_X\", A.data))\n")
                  .gaps.empty());
}

// How much an operation of an Ethos-U computes is not worked out.
TEST(CostGaps, OperationsOfAnEthosULeaveNoUpperBound) {
  const KernelCost cost = cost_of(
      std::string("\n    T.evaluate(T.call_extern(\"handle\", \"ethosu_copy\", A[0], 4, B[0]))") +
      std::string(kDense));
  EXPECT_EQ(cost.uncertain.front(), "the effect of 'ethosu_copy' is unknown");
  // What else is in the kernel is there.
  EXPECT_EQ(cost.mac, Count(12 * 64, std::nullopt));
  EXPECT_EQ(buffer(cost, "A").loads, Count(12 * 64, std::nullopt));
  EXPECT_EQ(buffer(cost, "B").stores, Count(12 + 12 * 64, std::nullopt));
  EXPECT_EQ(exactly(buffer(cost, "W").loads), 12u * 64u);
}

TEST(CostGaps, AReturnUnderAConditionLeavesNoLowerBound) {
  const KernelCost cost =
      cost_of(std::string("\n    if A[0] < T.float32(0):\n        T.ret(0)") + std::string(kDense));
  EXPECT_TRUE(cost.gaps.empty());
  EXPECT_EQ(cost.mac, Count(0, 12 * 64));
  EXPECT_FALSE(cost.uncertain.empty());
}

TEST(CostGaps, AReturnOfAnErrorDoesNotCount) {
  const KernelCost cost = cost_of(std::string("\n    if A[0] < T.float32(0):\n        T.ret(-1)") +
                                  std::string(kDense));
  EXPECT_EQ(exactly(cost.mac), 12u * 64u);
}

}  // namespace
}  // namespace mlf::analysis
