// What calls cost.
#include <fmt/core.h>

#include "unit/analysis/cost_of.h"

namespace mlf::analysis {
namespace {

TEST(KernelCost, AnUnknownFunctionIsUnknown) {
  const KernelCost cost = cost_of(R"(
    T.evaluate(T.call_extern("int32", "my_accelerator", A.data, B.data))
)");
  EXPECT_EQ(cost.mac, Count(0, std::nullopt));
  ASSERT_EQ(cost.extern_calls.size(), 1);
  EXPECT_EQ(cost.extern_calls[0].symbol, "my_accelerator");
  EXPECT_EQ(cost.extern_calls[0].count, Count(0, std::nullopt));
  EXPECT_EQ(cost.uncertain.size(), 1);
  EXPECT_EQ(buffer(cost, "A").loads, Count(0, std::nullopt));
  EXPECT_EQ(buffer(cost, "A").role, BufferRole::unknown);
}

// Both are exact; the operator has lanes.
TEST(KernelCost, AFusedMultiplicationAndAdditionIsOneMultiplyAccumulate) {
  for (const std::string_view product :
       {"T.call_pure_extern(\"float32\", \"fmaf\", A[i], W[i], B[0])",
        "T.Call(\"float32\", \"tir.fma\", [A[i], W[i], B[0]])"}) {
    const KernelCost cost =
        cost_of(fmt::format("    for i in range(64):\n        B[0] = {}\n", product));
    EXPECT_EQ(exactly(cost.mac), 64) << product;
    EXPECT_EQ(exactly(buffer(cost, "A").loads), 64) << product;
    EXPECT_TRUE(cost.uncertain.empty()) << product;
  }
  EXPECT_EQ(exact_mac("    B[T.Ramp(0, 1, 4)] = T.Call(\"float32x4\", \"tir.fma\", "
                      "[A[T.Ramp(0, 1, 4)], W[T.Ramp(0, 1, 4)], A[T.Ramp(4, 1, 4)]])\n"),
            4);
}

TEST(KernelCost, ConvolutionsOfCmsisNnSayTheirSizes) {
  EXPECT_EQ(exact_mac(R"(
    T.evaluate(T.call_extern("int8", "arm_convolve_wrapper_s8", A.data, W.data, A.data, A.data, B.data, "NULL", 144, -3, -5, 1, 1, 1, 1, 1, 1, -128, 127, -1, 1, 8, 8, 4, 8, 3, 3, 4, 1, 1, 1, 8, 1, 8, 8, 8))
    T.evaluate(T.call_extern("int8", "arm_max_pool_s8", A.data, B.data, "NULL", 0, 2, 2, 0, 0, -128, 127, 1, 8, 8, 8, 1, 2, 2, 1, 1, 4, 4, 8))
)"),
            8 * 8 * 8 * 3 * 3 * 4);
}

// A bound and no number: CMSIS-NN may read an element as often as it likes.
Count at_least(std::uint64_t number) {
  return {number, std::nullopt};
}

TEST(KernelCost, WhatConvolutionsOfCmsisNnNeedIsLoadedAndStoredOnceAtLeast) {
  const KernelCost cost = cost_of_text(R"(# from tvm.script import tir as T

@T.prim_func
def f(input: T.Buffer((), "int8"), filter: T.Buffer((), "int8"), multiplier: T.Buffer((), "int32"), bias: T.Buffer((), "int32"), shift: T.Buffer((), "int32"), output: T.Buffer((), "int8")):
    context = T.allocate([144], "int8", "global.workspace")
    T.evaluate(T.call_extern("int8", "arm_convolve_wrapper_s8", input.data, filter.data, multiplier.data, bias.data, shift.data, output.data, context, 144, -3, -5, 1, 1, 1, 1, 1, 1, -128, 127, -1, 1, 8, 8, 4, 8, 3, 3, 4, 1, 1, 1, 8, 1, 8, 8, 8))
)");
  EXPECT_EQ(buffer(cost, "input").bytes_loaded, at_least(8 * 8 * 4));
  EXPECT_EQ(buffer(cost, "filter").bytes_loaded, at_least(8 * 3 * 3 * 4));
  EXPECT_EQ(buffer(cost, "multiplier").bytes_loaded, at_least(8 * 4));
  EXPECT_EQ(buffer(cost, "bias").loads, at_least(8));
  EXPECT_EQ(buffer(cost, "shift").bytes_loaded, at_least(8 * 4));
  EXPECT_EQ(buffer(cost, "output").bytes_stored, at_least(8 * 8 * 8));
  EXPECT_EQ(buffer(cost, "input").role, BufferRole::input);
  EXPECT_EQ(buffer(cost, "output").role, BufferRole::output);
  EXPECT_EQ(buffer(cost, "output").stores.max, std::nullopt);
  EXPECT_EQ(buffer(cost, "output").loads, Count(0));
  EXPECT_EQ(buffer(cost, "context").loads, at_least(0));
  EXPECT_EQ(cost.loaded, at_least(256 + 288 + 32 + 32 + 32));
  ASSERT_EQ(cost.uncertain.size(), 1);
  EXPECT_EQ(cost.uncertain[0],
            "the number of loads and stores of 'arm_convolve_wrapper_s8' is unknown");
}

// A stride of 2 and a filter of 1 x 1 read every second row and column of 8: 4 of each.
TEST(KernelCost, WhatAStrideJumpsOverNeedNotBeLoaded) {
  const KernelCost cost = cost_of(R"(
    T.evaluate(T.call_extern("int8", "arm_convolve_wrapper_s8", A.data, W.data, A.data, A.data, B.data, "NULL", 0, -3, -5, 2, 2, 0, 0, 1, 1, -128, 127, -1, 1, 8, 8, 4, 8, 1, 1, 4, 1, 1, 1, 8, 1, 4, 4, 8))
)");
  // The multipliers and shifts of 8 channels are in A, too.
  EXPECT_EQ(buffer(cost, "A").loads, at_least(4 * 4 * 4 + 8 + 8));
  EXPECT_EQ(buffer(cost, "W").loads, at_least(8 * 4));
}

// The only window of 5 x 5 over 3 x 3 with a padding of 1 has two columns and rows of nothing but
// padding: three of five taps meet the input.
TEST(KernelCost, WeightsThatOnlyMeetPaddingNeedNotBeLoaded) {
  const KernelCost cost = cost_of(R"(
    T.evaluate(T.call_extern("int16", "arm_convolve_wrapper_s16", A.data, W.data, A.data, A.data, B.data, "NULL", 0, -3, -5, 1, 1, 1, 1, 1, 1, -128, 127, -1, 1, 3, 3, 1, 1, 5, 5, 1, 1, 1, 1, 1, 1, 1, 1, 1))
)");
  EXPECT_EQ(buffer(cost, "W").bytes_loaded, at_least(3 * 3));
  EXPECT_EQ(buffer(cost, "A").bytes_loaded, at_least(3 * 3 * 2 + 4 + 4));
  EXPECT_EQ(buffer(cost, "B").bytes_stored, at_least(2));
}

TEST(KernelCost, LayersOfCmsisNnAreCounted) {
  const KernelCost dense = cost_of(R"(
    T.evaluate(T.call_extern("int8", "arm_fully_connected_s8", A.data, W.data, B.data, "NULL", 0, -3, 0, -5, -128, 127, 1, 1, 2, 1, 1, 64, 64, 1, 1, 10, 1, 1, 1, 10, 2, 1, 1, 10))
)");
  EXPECT_EQ(exactly(dense.mac), 2 * 64 * 10);
  EXPECT_EQ(buffer(dense, "A").loads, at_least(2 * 64));
  EXPECT_EQ(buffer(dense, "W").loads, at_least(64 * 10));
  EXPECT_EQ(buffer(dense, "B").stores, at_least(2 * 10));

  // Windows of 2 x 2 with a stride of 2 over 9 x 9: the last row and column are in none.
  const KernelCost pool = cost_of(R"(
    T.evaluate(T.call_extern("int8", "arm_max_pool_s8", A.data, B.data, "NULL", 0, 2, 2, 0, 0, -128, 127, 1, 9, 9, 8, 1, 2, 2, 1, 1, 4, 4, 8))
)");
  EXPECT_EQ(exactly(pool.mac), 0);
  EXPECT_EQ(pool.loaded, at_least(8 * 8 * 8));
  EXPECT_EQ(pool.stored, at_least(4 * 4 * 8));

  const KernelCost softmax = cost_of(R"(
    for i in range(3):
        T.evaluate(T.call_extern("int8", "arm_softmax_s8", A.data, 2, 10, 1, 1, -1, B.data))
)");
  EXPECT_EQ(softmax.loaded, at_least(3 * 2 * 10));
  EXPECT_EQ(softmax.stored, at_least(3 * 2 * 10));

  const KernelCost sum = cost_of(R"(
    T.evaluate(T.call_extern("int8", "arm_elementwise_mul_s8", A.data, W.data, 1, 2, B.data, 3, 4, 5, -128, 127, 100))
)");
  EXPECT_EQ(sum.loaded, at_least(200));
  EXPECT_EQ(sum.stored, at_least(100));

  const KernelCost square = cost_of(R"(
    T.evaluate(T.call_extern("int8", "arm_elementwise_mul_s8", A.data, A.data, 1, 2, B.data, 3, 4, 5, -128, 127, 100))
)");
  EXPECT_EQ(square.loaded, at_least(100));
}

TEST(KernelCost, ArgumentsInAnotherOrderThanTvmsSayNothing) {
  const KernelCost cost = cost_of(R"(
    T.evaluate(T.call_extern("int8", "arm_max_pool_s8", A.data, W.data, B.data, "NULL", 0, 2, 2, 0, 0, -128, 127, 1, 8, 8, 8, 1, 2, 2, 1, 1, 4, 4, 8))
)");
  EXPECT_EQ(cost.mac, at_least(0));
  EXPECT_EQ(cost.loaded, at_least(0));
  EXPECT_EQ(buffer(cost, "A").role, BufferRole::unknown);
  ASSERT_EQ(cost.uncertain.size(), 1);
  EXPECT_EQ(cost.uncertain[0], "the effect of 'arm_max_pool_s8' is unknown");
}

// A convolution with a window of 3 x 2.
std::string convolution(std::string_view function, std::string_view multiplier,
                        std::string_view dims) {
  return fmt::format(
      "\n    T.evaluate(T.call_extern(\"int8\", \"{}\", A.data, W.data, A.data, A.data, B.data, "
      "\"NULL\", 0, 1, 2, 1, 1, 0, 0, 1, 1, -128, 127, {}, {}))\n",
      function, multiplier, dims);
}

// Two groups of two channels each.
TEST(KernelCost, GroupsOfAConvolutionMultiplyTheirOwnChannels) {
  EXPECT_EQ(exact_mac(convolution("arm_convolve_wrapper_s8", "-1",
                                  "1, 8, 9, 4, 6, 3, 2, 2, 1, 1, 1, 6, 1, 6, 8, 6")),
            6 * 8 * 6 * 3 * 2 * 2);
}

// Sizes that are no numbers, or that cannot be those of one layer.
TEST(KernelCost, DimsThatSayNothing) {
  for (const std::string_view dims : {"1, 8, 9, 4, 6, 3, 2, 4, 1, 1, 1, 6, 1, 6, 8, n",
                                      "1, 8, 9, 4, 6, 3, n, 4, 1, 1, 1, 6, 1, 6, 8, 6",
                                      "1, 8, 9, 4, 6, 3, 2, 4, 1, 1, 1, 6, 1, 6, 8, 7",
                                      "1, 8, 9, 4, 6, 3, 2, 3, 1, 1, 1, 6, 1, 6, 8, 6",
                                      "2, 8, 9, 4, 6, 3, 2, 4, 1, 1, 1, 6, 1, 6, 8, 6",
                                      "1, 8, 9, 4, 6, 3, 2, 4, 1, 1, 1, 6, 1, 6, 8, 0",
                                      "1, 8, 9, 4, 6, 3, 2, 4, 1, 1, 1, 6, 1, 6, 8, -6",
                                      "1, 8, 9, 4, 6, 3, 2, 4, 1, 1, 1, 6, 1, 6, 8",
                                      "1, 8, 9, 4, 6, 3, 2, 4, 1, 1, 1, 6, 1, 6, 70000, 6"}) {
    const KernelCost cost = cost_of(fmt::format(
        "\n    n = T.int32()\n{}", convolution("arm_convolve_wrapper_s8", "-1", dims).substr(1)));
    EXPECT_EQ(cost.mac, at_least(0)) << dims;
    EXPECT_EQ(cost.loaded, at_least(0)) << dims;
    EXPECT_EQ(cost.stored, at_least(0)) << dims;
  }
}

TEST(KernelCost, MicroKernelsSayTheirSizes) {
  EXPECT_EQ(exact_mac(R"(
    for i in range(3):
        T.evaluate(T.call_extern("int32", "gemm_4x8x2_reset_ABCDEFGH", B.data, 1))
        T.evaluate(T.call_extern("int32", "gemm_4x8x2_update_ABCDEFGH", A.data, W.data, B.data, 8, 8, 2))
)"),
            3 * 4 * 8 * 2);
}

TEST(KernelCost, NamesOfOtherMicroKernels) {
  EXPECT_EQ(exact_mac(R"(
    for i in range(5):
        T.evaluate(T.call_extern("int32", "kernel_convolve_int8_w18_c8_kh3_kw3_ABCDEFGH", B.data, A.data, W.data))
)"),
            5 * 4 * 3 * 3);
  EXPECT_EQ(exact_mac(R"(
    for i in range(5):
        T.evaluate(T.call_extern("int32", "tensordot_opt_x2_int16_w48_3x12_000_8_4", B.data, A.data, W.data))
)"),
            5 * 2 * 3 * 12);
  EXPECT_EQ(exact_mac(R"(
    T.evaluate(T.call_extern("int32", "max8_ABCDEFGH", A.data, B.data, 1))
)"),
            0);
}

// Four products of bytes for each of four sums.
TEST(KernelCost, DotProductsOfOneInstructionAreCounted) {
  EXPECT_EQ(exact_mac(R"(
    for i in range(5):
        T.evaluate(T.call_llvm_pure_intrin("int32x4", "llvm.aarch64.neon.sdot.v4i32.v16i8", T.uint32(3), T.Broadcast(0, 4), T.Broadcast(T.int8(1), 16), T.Broadcast(T.int8(2), 16)))
)"),
            5 * 16);
}

TEST(KernelCost, FunctionsOfLibmAreArithmetic) {
  const KernelCost cost = cost_of(R"(
    for i in range(5):
        B[i] = T.exp(A[i]) + T.call_pure_extern("float32", "tanhf", A[i])
)");
  EXPECT_EQ(exactly(operations(cost, Operation::transcendental)), 10);
  EXPECT_EQ(exactly(cost.mac), 0);
}

// After MakePackedAPI the tensors are behind the first parameter.
TEST(KernelCost, ParametersOfPackedFunctionsAreTheirArguments) {
  const KernelCost cost = cost_of_text(R"(
# from tvm.script import tir as T
@T.prim_func
def f(args: T.handle, arg_type_ids: T.handle("int32"), num_args: T.int32, out_ret_value: T.handle, out_ret_tcode: T.handle, resource_handle: T.handle):
    ids = T.Buffer((2,), "int32", data=arg_type_ids)
    a: T.handle = T.tvm_struct_get(args, 0, 12, "handle")
    b: T.handle = T.tvm_struct_get(args, 1, 12, "handle")
    a_data: T.handle("float32") = T.tvm_struct_get(a, 0, 1, "handle")
    A = T.Buffer((16,), "float32", data=a_data)
    shape: T.handle("int64") = T.tvm_struct_get(a, 0, 2, "handle")
    extents = T.Buffer((1,), "int64", data=shape)
    b_data: T.handle("float32") = T.tvm_struct_get(b, 0, 1, "handle")
    B = T.Buffer((16,), "float32", data=b_data)
    assert T.Cast("int32", extents[0]) == 16, "a has 16 elements"
    for i in range(16):
        B[i] = A[i] + T.float32(1)
)");
  ASSERT_GE(cost.buffers.size(), 3);
  EXPECT_EQ(cost.buffers[0].parameter, 0);
  EXPECT_EQ(cost.buffers[0].role, BufferRole::input);
  EXPECT_EQ(exactly(cost.buffers[0].loads), 16);
  EXPECT_EQ(cost.buffers[1].parameter, 1);
  EXPECT_EQ(cost.buffers[1].role, BufferRole::output);
  EXPECT_EQ(buffer(cost, "shape").role, BufferRole::unknown);
  EXPECT_FALSE(buffer(cost, "shape").parameter.has_value());
}

// What TVM's unified static memory planner makes of a kernel: pools are parameters, and tensors
// have addresses in them.
TEST(KernelCost, APoolIsWhatTheTensorsInItAre) {
  const KernelCost cost = cost_of_text(R"(
# from tvm.script import tir as T
@T.prim_func
def f(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32"), constants: T.handle("uint8", "global"), workspace: T.handle("uint8", "global"), foreign: T.handle("uint8", "global"), empty: T.handle("uint8", "global")):
    empty_pool = T.match_buffer(empty, (4096,), "uint8", strides=(1,), align=16)
    constant_pool = T.match_buffer(constants, (4096,), "uint8", strides=(1,), align=16)
    workspace_pool = T.match_buffer(workspace, (4096,), "uint8", strides=(1,), align=16)
    foreign_pool = T.match_buffer(foreign, (4096,), "uint8", strides=(1,), align=16)
    W_let: T.handle("float32", "global") = T.address_of(constant_pool[64])
    W = T.Buffer((16,), "float32", data=W_let)
    P_let: T.handle("float32", "global") = T.address_of(workspace_pool[128])
    P = T.Buffer((16,), "float32", data=P_let)
    Q_let: T.handle("float32", "global") = T.address_of(workspace_pool[192])
    Q = T.Buffer((16,), "float32", data=Q_let)
    F_let: T.handle("float32", "global") = T.address_of(foreign_pool[0])
    T.evaluate(T.call_extern("int32", "gemm_1x1x1_update_of_another_library", F_let))
    for i in range(16):
        P[i] = A[i] * W[i]
    for i in range(16):
        B[i] = P[i] + Q[i]
)");
  ASSERT_GE(cost.buffers.size(), 6);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(cost.buffers[i].parameter, i);
  EXPECT_EQ(cost.buffers[2].role, BufferRole::weights);
  // Something there is written, whatever else is only read.
  EXPECT_EQ(cost.buffers[3].role, BufferRole::workspace);
  EXPECT_EQ(cost.buffers[4].role, BufferRole::unknown);
  EXPECT_EQ(cost.buffers[5].role, BufferRole::unused);
  // No access to the pool itself: those of its tensors are counted once.
  EXPECT_EQ(exactly(cost.buffers[3].loads), 0);
  EXPECT_EQ(exactly(cost.buffers[3].stores), 0);
  EXPECT_EQ(exactly(buffer(cost, "P_let").stores), 16);
}

TEST(KernelCost, LoopsOverThreadsAreLoops) {
  const KernelCost cost = cost_of(R"(
    for b in T.thread_binding(4, thread="blockIdx.x"):
        for t in T.thread_binding(32, thread="threadIdx.x"):
            B[b * 32 + t] = A[b * 32 + t] * W[0]
)");
  EXPECT_EQ(exactly(operations(cost, Operation::multiply)), 128);
  EXPECT_EQ(cost.loops[1].kind, tir::ForKind::thread_binding);
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
