// What layers cost, against formulas worked out by hand.
#include "unit/analysis/cost_of.h"

namespace mlf::analysis {
namespace {

TEST(KernelCost, ADenseLayerIsOutputsTimesInputs) {
  const KernelCost cost = cost_of(R"(
    for o in range(12):
        B[o] = T.float32(0)
        for k in range(64):
            B[o] = B[o] + A[k] * W[o * 64 + k]
)");
  EXPECT_EQ(exactly(cost.mac), 12 * 64);
  EXPECT_TRUE(cost.operations.empty());
  EXPECT_TRUE(cost.uncertain.empty());
  EXPECT_EQ(exactly(buffer(cost, "A").loads), 768);
  EXPECT_EQ(exactly(buffer(cost, "A").bytes_loaded), 4 * 768);
  EXPECT_EQ(exactly(buffer(cost, "B").loads), 768);
  EXPECT_EQ(exactly(buffer(cost, "B").stores), 768 + 12);
  EXPECT_EQ(buffer(cost, "A").role, BufferRole::input);
  EXPECT_EQ(buffer(cost, "B").role, BufferRole::output);
  EXPECT_EQ(buffer(cost, "B").parameter, 2);
  EXPECT_EQ(exactly(cost.loaded), 4 * 3 * 768);
  EXPECT_EQ(exactly(cost.stored), 4 * (768 + 12));
  EXPECT_EQ(exactly(cost.index_operations), 2 * 768);
  EXPECT_EQ(exactly(cost.index_divisions), 0);
  EXPECT_EQ(exactly(cost.float_operations), 768);
}

TEST(KernelCost, CountsCastsAndCallsAsOperationsOnFloats) {
  const KernelCost cost = cost_of(R"(
    for i in range(10):
        B[i] = T.exp(T.Cast("float32", i)) + A[i]
)");
  EXPECT_EQ(exactly(cost.float_operations), 30);
  const KernelCost unknown = cost_of(R"(
    for i in range(10):
        T.evaluate(T.call_extern("int32", "not_known", A.data))
)");
  EXPECT_FALSE(unknown.float_operations.is_known());
}

TEST(KernelCost, TheLoopNestHasItsShare) {
  const KernelCost cost = cost_of(R"(
    for o in range(12):
        for i in range(3):
            B[o] = T.float32(0)
        for k in T.unroll(64):
            B[o] = B[o] + A[k] * W[o * 64 + k]
)");
  ASSERT_EQ(cost.loops.size(), 3);
  EXPECT_EQ(cost.loops[0].variable, "o");
  EXPECT_EQ(cost.loops[1].variable, "i");
  EXPECT_EQ(cost.loops[2].variable, "k");
  EXPECT_EQ(cost.loops[2].depth, 1);
  EXPECT_EQ(cost.loops[2].kind, tir::ForKind::unrolled);
  EXPECT_EQ(exactly(cost.loops[2].extent), 64);
  EXPECT_EQ(exactly(cost.loops[2].iterations), 768);
  EXPECT_EQ(exactly(cost.loops[0].mac), 768);
  EXPECT_EQ(exactly(cost.loops[1].mac), 0);
  EXPECT_EQ(exactly(cost.loops[2].mac), 768);
}

// Output 6x6x8, filter 3x3x4.
TEST(KernelCost, AConvolutionIsOutputsTimesFilter) {
  EXPECT_EQ(exact_mac(R"(
    for y, x, f in T.grid(6, 6, 8):
        B[y * 48 + x * 8 + f] = T.float32(0)
        for ry, rx, c in T.grid(3, 3, 4):
            B[y * 48 + x * 8 + f] = B[y * 48 + x * 8 + f] + A[(y + ry) * 32 + (x + rx) * 4 + c] * W[ry * 96 + rx * 32 + c * 8 + f]
)"),
            6 * 6 * 8 * 3 * 3 * 4);
}

TEST(KernelCost, AStridedConvolutionHasFewerOutputs) {
  EXPECT_EQ(exact_mac(R"(
    for yx, f in T.grid(9, 8):
        B[yx * 8 + f] = T.float32(0)
        for r, c in T.grid(9, 4):
            B[yx * 8 + f] = B[yx * 8 + f] + A[(yx // 3 * 2 + r // 3) * 32 + (yx % 3 * 2 + r % 3) * 4 + c] * W[r * 32 + c * 8 + f]
)"),
            9 * 8 * 9 * 4);
}

TEST(KernelCost, ADepthwiseConvolutionDoesNotSumOverChannels) {
  const KernelCost cost = cost_of(R"(
    for y, x, c in T.grid(5, 5, 16):
        B[y * 80 + x * 16 + c] = T.float32(0)
        for r in range(9):
            B[y * 80 + x * 16 + c] = B[y * 80 + x * 16 + c] + A[(y + r // 3) * 112 + (x + r % 3) * 16 + c] * W[r * 16 + c]
)");
  EXPECT_EQ(exactly(cost.mac), 5 * 5 * 16 * 9);
  // Quotient and remainder of one division.
  EXPECT_EQ(exactly(cost.index_divisions), 5 * 5 * 16 * 9);
}

TEST(KernelCost, AGroupedConvolutionSumsOverTheChannelsOfAGroup) {
  EXPECT_EQ(exact_mac(R"(
    for y, x, g, f in T.grid(4, 4, 2, 8):
        B[y * 64 + x * 16 + g * 8 + f] = T.float32(0)
        for r, c in T.grid(9, 4):
            B[y * 64 + x * 16 + g * 8 + f] = B[y * 64 + x * 16 + g * 8 + f] + A[(y + r // 3) * 48 + (x + r % 3) * 8 + g * 4 + c] * W[g * 288 + r * 32 + c * 8 + f]
)"),
            4 * 4 * 16 * 9 * 4);
}

// Zeros of the padding are multiplied, too: TVM counts them, and so does what runs.
TEST(KernelCost, APaddedConvolutionMultipliesItsPadding) {
  const KernelCost cost = cost_of(R"(
    P = T.allocate([400], "float32", "global")
    P_1 = T.Buffer((400,), data=P)
    for y, x, c in T.grid(10, 10, 4):
        P_1[y * 40 + x * 4 + c] = T.if_then_else(1 <= y and y < 9 and 1 <= x and x < 9, A[y * 32 + x * 4 + c - 36], T.float32(0))
    for y, x in T.grid(8, 8):
        B[y * 8 + x] = T.float32(0)
        for r, c in T.grid(9, 4):
            B[y * 8 + x] = B[y * 8 + x] + P_1[(y + r // 3) * 40 + (x + r % 3) * 4 + c] * W[r * 4 + c]
)");
  EXPECT_EQ(exactly(cost.mac), 64 * 36);
  EXPECT_EQ(exactly(buffer(cost, "A").loads), 8 * 8 * 4);
  EXPECT_EQ(exactly(buffer(cost, "P").stores), 400);
  EXPECT_EQ(buffer(cost, "P").role, BufferRole::workspace);
}

TEST(KernelCost, PaddingInsideTheSumCountsTheSame) {
  EXPECT_EQ(exact_mac(R"(
    for y in range(8):
        B[y] = T.float32(0)
        for r in range(3):
            B[y] = B[y] + T.if_then_else(1 <= y + r and y + r < 9, A[y + r - 1], T.float32(0)) * W[r]
)"),
            8 * 3);
}

TEST(KernelCost, ABatchedProductOfMatricesIsCounted) {
  EXPECT_EQ(exact_mac(R"(
    for b, i, j in T.grid(2, 6, 5):
        B[b * 30 + i * 5 + j] = T.float32(0)
        for k in range(7):
            B[b * 30 + i * 5 + j] = B[b * 30 + i * 5 + j] + A[b * 42 + i * 7 + k] * W[b * 35 + j * 7 + k]
)"),
            2 * 6 * 5 * 7);
}

TEST(KernelCost, PoolingHasNoProducts) {
  const KernelCost cost = cost_of(R"(
    for o in range(16):
        B[o] = T.float32(0)
        for r in range(25):
            B[o] = B[o] + A[r * 16 + o]
    for o in range(16):
        B[o] = B[o] * T.float32(0.04)
)");
  EXPECT_EQ(exactly(cost.mac), 0);
  EXPECT_EQ(exactly(operations(cost, Operation::add_subtract)), 16 * 25);
  EXPECT_EQ(exactly(operations(cost, Operation::multiply)), 16);
}

TEST(KernelCost, MeansAndVariancesAreNoMacs) {
  EXPECT_EQ(exact_mac(R"(
    B[0] = T.float32(0)
    B[1] = T.float32(0)
    for k in range(64):
        B[0] = B[0] + A[k] * T.float32(0.015625)
    for k in range(64):
        B[1] = B[1] + (A[k] - B[0]) * (A[k] - B[0])
)"),
            0);
}

TEST(KernelCost, ScalingAndFixedPointAreNoMacs) {
  EXPECT_EQ(exact_mac(R"(
    for i in range(64):
        B[i] = A[i] * W[i] + A[i + 64]
    for i in range(64):
        B[i] = (B[i] + A[i]) * W[i]
)"),
            0);
}

TEST(KernelCost, AnElementwiseOperationInPlaceIsNoMac) {
  EXPECT_EQ(exact_mac(R"(
    for i in range(64):
        B[i] = A[i]
        B[i] = B[i] + A[i + 64] * W[i]
)"),
            0);
}

TEST(KernelCost, AnySumOfProductsIsThatManyMacs) {
  const KernelCost cost = cost_of(R"(
    for o in range(4):
        B[o] = T.float32(0)
        for k in range(8):
            B[o] = A[k * 2] * W[k * 2] + (A[k * 2 + 1] * W[k * 2 + 1] + B[o])
)");
  EXPECT_EQ(exactly(cost.mac), 4 * 8 * 2);
  EXPECT_TRUE(cost.operations.empty());
}

TEST(KernelCost, CastsAroundTheProductAndLetsInIt) {
  const KernelCost cost = cost_of_text(R"(
# from tvm.script import tir as T
@T.prim_func
def f(A: T.Buffer((64,), "int8"), W: T.Buffer((64,), "int8"), B: T.Buffer((4,), "int32")):
    for o in range(4):
        B[o] = 0
        for k in range(16):
            cse_var_1: T.int32 = k * 4 + o
            a: T.int16 = T.Cast("int16", A[cse_var_1])
            B[o] = B[o] + T.Cast("int32", a * T.Cast("int16", W[cse_var_1]))
)");
  EXPECT_EQ(exactly(cost.mac), 64);
  // The let is evaluated once, and its address is not arithmetic on data.
  EXPECT_EQ(exactly(cost.index_operations), 2 * 64);
  EXPECT_EQ(exactly(buffer(cost, "A").bytes_loaded), 64);
  EXPECT_EQ(exactly(operations(cost, Operation::cast)), 3 * 64);
}

TEST(KernelCost, DivisionsAreThoseThatACompilerLeaves) {
  const auto divisions = [](const std::string& index) {
    return exactly(
        cost_of("\n    for y, x in T.grid(6, 10):\n        B[y * 10 + x] = A[" + index + "]\n")
            .index_divisions);
  };
  EXPECT_EQ(divisions("x // 4 * 8 + x % 16 + 7 // 3"), 0);
  EXPECT_EQ(divisions("y // 3 * 10 + x"), 6);
  EXPECT_EQ(divisions("x // 3 * 10 + y"), 60);
  EXPECT_EQ(divisions("x // 3 * 10 + x % 3 + y // 5"), 60 + 6);
  EXPECT_EQ(divisions("(y * 10 + x) // 3"), 60);
  EXPECT_EQ(divisions("T.if_then_else(x % 3 == 0, x, y)"), 0);
}

TEST(KernelCost, DivisionsOfBlockAxesAndLetsAreInTheirLoops) {
  const KernelCost cost = cost_of(R"(
    for y, x in T.grid(6, 10):
        row: T.int32 = y * 2
        B[y * 10 + x] = A[row // 3 * 10 + x]
    for i, j in T.grid(6, 10):
        with T.block("b"):
            v = T.axis.spatial(10, j)
            B[i * 10 + v] = A[i * 10 + v // 3]
)");
  EXPECT_EQ(exactly(cost.index_divisions), 6 * 10 + 60);
}

TEST(KernelCost, FloatsInsideAnAddressAreArithmeticOnData) {
  const KernelCost cost = cost_of(R"(
    for i in range(8):
        B[i] = A[T.Cast("int32", T.Cast("float32", i) * T.float32(0.5)) + i]
)");
  EXPECT_EQ(exactly(operations(cost, Operation::multiply)), 8);
  EXPECT_EQ(exactly(operations(cost, Operation::cast)), 2 * 8);
  EXPECT_EQ(exactly(cost.index_operations), 8);
}

TEST(KernelCost, AFunctionMayReadTheTensorsThatItGets) {
  const KernelCost cost = cost_of(R"(
    T.call_packed("library.f", T.tvm_stack_make_array(A.data, T.tvm_stack_make_shape(24, 16), 0, 2, T.float32(0), 0))
)");
  EXPECT_EQ(buffer(cost, "A").role, BufferRole::unknown);
}

TEST(KernelCost, LanesOfAVectorCount) {
  const KernelCost cost = cost_of(R"(
    for o in range(8):
        B[o * 4:o * 4 + 4] = T.Broadcast(T.float32(0), 4)
        for k in range(16):
            B[o * 4:o * 4 + 4] = B[o * 4:o * 4 + 4] + T.Broadcast(A[k], 4) * W[k * 32 + o * 4:k * 32 + o * 4 + 4]
)");
  EXPECT_EQ(exactly(cost.mac), 32 * 16);
  EXPECT_EQ(exactly(buffer(cost, "W").loads), 32 * 16);
  EXPECT_EQ(exactly(buffer(cost, "A").loads), 8 * 16);
}

}  // namespace
}  // namespace mlf::analysis
