// What kernels cost, against formulas worked out by hand.
#include "mlf/analysis/kernel_cost.h"

#include <gtest/gtest.h>

#include "mlf/tir/builder.h"
#include "mlf/tir/document.h"

namespace mlf::analysis {
namespace {

/// Counts the only function of a text.
KernelCost cost_of_text(const std::string& text) {
  const auto document = tir::read({.file = "f", .member = "", .text = text});
  if (!document) throw std::runtime_error(to_string(document.error().front()));
  const auto functions = document->module.root().map(tir::f::IRModule::functions);
  return kernel_cost(functions.value(0));
}

/// Counts a kernel of float32 tensors: `A` and `W` are read, `B` is written.
KernelCost cost_of(std::string_view body) {
  return cost_of_text(
      "# from tvm.script import tir as T\n\n@T.prim_func\n"
      "def f(A: T.Buffer((4096,), \"float32\"), W: T.Buffer((4096,), \"float32\"), "
      "B: T.Buffer((4096,), \"float32\")):\n" +
      std::string(body));
}

std::uint64_t exactly(const Count& count) {
  EXPECT_TRUE(count.is_exact()) << count.min << " to " << count.max.value_or(0);
  return count.min;
}

std::uint64_t exact_mac(std::string_view body) {
  return exactly(cost_of(body).mac);
}

const BufferCost& buffer(const KernelCost& cost, std::string_view name) {
  for (const BufferCost& one : cost.buffers) {
    if (one.name == name) return one;
  }
  throw std::runtime_error("no buffer " + std::string(name));
}

Count operations(const KernelCost& cost, Operation operation) {
  Count sum;
  for (const OperationCount& one : cost.operations) {
    if (one.operation == operation) sum += one.count;
  }
  return sum;
}

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
  EXPECT_EQ(exactly(cost.index_divisions), 2 * 5 * 5 * 16 * 9);
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

TEST(KernelCost, ABatchedProductOfMatrices) {
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

// --- Conditions ----------------------------------------------------------------------------------

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

TEST(KernelCost, ATriangleOfLoops) {
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

TEST(KernelCost, ConditionsInsideOfConditions) {
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

TEST(KernelCost, FloorDivisionsOfFusedLoops) {
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

// --- Shapes of the input -------------------------------------------------------------------------

/// A function that stores 40 chained `x + x`, with loops of two iterations around that.
tir::Module chained(int loops) {
  using tir::Kind;
  tir::Builder make;
  const tir::DType i32 = tir::DType::Int(32);
  const auto integer = [&](int value) { return make.make(Kind::IntImm, {i32, value}); };
  const auto var = [&](std::string_view name, tir::DType dtype) {
    return make.make(Kind::Var, {dtype, make.string(name), tir::NodeId::none});
  };
  const tir::NodeId data = var("B", tir::DType::Handle());
  const tir::NodeId mask = make.make(Kind::IntImm, {tir::DType::Bool(), 1});
  tir::NodeId sum = make.make(Kind::Load, {i32, data, integer(1), mask});
  for (int i = 0; i < 40; ++i) sum = make.make(Kind::Add, {i32, sum, sum});
  tir::NodeId body = make.make(Kind::Store, {data, sum, integer(0), mask});
  for (int i = 0; i < loops; ++i) {
    body = make.make(Kind::For, {var("i", i32), integer(0), integer(2), tir::ForKind::serial, body,
                                 tir::NodeId::none, make.map(std::vector<tir::NamedNode>{})});
  }
  const tir::NodeId function = make.make(
      Kind::PrimFunc, {make.list({data}), tir::NodeId::none, make.map(std::vector<tir::NodePair>{}),
                       make.map(std::vector<tir::NodePair>{}), tir::NodeId::none, body});
  return std::move(make).finish(function);
}

TEST(KernelCost, SharedExpressionsCountAsOftenAsTheyAreEvaluated) {
  const tir::Module module = chained(0);
  const KernelCost cost = kernel_cost(module.root());
  EXPECT_EQ(exactly(operations(cost, Operation::add_subtract)), (std::uint64_t{1} << 40) - 1);
  EXPECT_EQ(exactly(buffer(cost, "B").loads), std::uint64_t{1} << 40);
  EXPECT_EQ(exactly(buffer(cost, "B").stores), 1);
}

TEST(KernelCost, NumbersStopAtTheLargest) {
  const tir::Module module = chained(100'000);
  const KernelCost cost = kernel_cost(module.root());
  EXPECT_EQ(exactly(buffer(cost, "B").loads), std::uint64_t{INT64_MAX});
  EXPECT_EQ(cost.loops.size(), 100'000);
}

// --- Calls ---------------------------------------------------------------------------------------

TEST(KernelCost, AnUnknownFunctionIsUnknown) {
  const KernelCost cost = cost_of(R"(
    T.evaluate(T.call_extern("int32", "my_accelerator", A.data, B.data))
)");
  EXPECT_EQ(cost.mac, Count(0, std::nullopt));
  ASSERT_EQ(cost.extern_calls.size(), 1);
  EXPECT_EQ(cost.extern_calls[0].symbol, "my_accelerator");
  EXPECT_EQ(exactly(cost.extern_calls[0].count), 1);
  EXPECT_EQ(cost.uncertain.size(), 1);
  EXPECT_EQ(buffer(cost, "A").loads, Count(0, std::nullopt));
  EXPECT_EQ(buffer(cost, "A").role, BufferRole::unknown);
}

TEST(KernelCost, ConvolutionsOfCmsisNnSayTheirSizes) {
  EXPECT_EQ(exact_mac(R"(
    T.evaluate(T.call_extern("int8", "arm_convolve_wrapper_s8", A.data, W.data, B.data, "NULL", 144, -3, -5, 1, 1, 1, 1, 1, 1, -128, 127, -1, 1, 8, 8, 4, 8, 3, 3, 4, 1, 1, 1, 8, 1, 8, 8, 8))
    T.evaluate(T.call_extern("int8", "arm_max_pool_s8", A.data, B.data, "NULL", 0, 2, 2, 0, 0, -128, 127, 1, 8, 8, 8, 1, 2, 2, 1, 1, 4, 4, 8))
)"),
            8 * 8 * 8 * 3 * 3 * 4);
}

TEST(KernelCost, WhatACallDoesToMemoryIsUnknownEvenIfItsMacsAreKnown) {
  const KernelCost cost = cost_of(R"(
    T.evaluate(T.call_extern("int8", "arm_max_pool_s8", A.data, B.data, "NULL", 0, 2, 2, 0, 0, -128, 127, 1, 8, 8, 8, 1, 2, 2, 1, 1, 4, 4, 8))
)");
  EXPECT_EQ(exactly(cost.mac), 0);
  EXPECT_EQ(cost.loaded, Count(0, std::nullopt));
  ASSERT_EQ(cost.uncertain.size(), 1);
  EXPECT_EQ(cost.uncertain[0], "what 'arm_max_pool_s8' loads and stores is not known");
}

TEST(KernelCost, MicroKernelsSayTheirSizes) {
  EXPECT_EQ(exact_mac(R"(
    for i in range(3):
        T.evaluate(T.call_extern("int32", "gemm_4x8x2_reset_ABCDEFGH", B.data, 1))
        T.evaluate(T.call_extern("int32", "gemm_4x8x2_update_ABCDEFGH", A.data, W.data, B.data, 8, 8, 2))
)"),
            3 * 4 * 8 * 2);
}

TEST(KernelCost, FunctionsOfLibmAreArithmetic) {
  const KernelCost cost = cost_of(R"(
    for i in range(5):
        B[i] = T.exp(A[i]) + T.call_pure_extern("float32", "tanhf", A[i])
)");
  EXPECT_EQ(exactly(operations(cost, Operation::transcendental)), 10);
  EXPECT_EQ(exactly(cost.mac), 0);
}

TEST(KernelCost, AnAddressIsNoAccess) {
  const KernelCost cost = cost_of(R"(
    p: T.handle = T.address_of(A[4])
    P = T.Buffer((8,), data=p)
    for i in range(8):
        B[i] = P[i]
)");
  EXPECT_EQ(exactly(cost.loaded), 32);
}

}  // namespace
}  // namespace mlf::analysis
