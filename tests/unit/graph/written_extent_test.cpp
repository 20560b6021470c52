// How far accesses certainly reach, where loops reach beyond the end of a tensor and conditions
// keep them inside.
#include "graph/kernels/kernels.h"

#include <gtest/gtest.h>

#include "mlf/tir/document.h"

namespace mlf::graph {
namespace {

/// What one kernel does to `B`, its second parameter.
Reaches reaches_of(std::string_view body) {
  const std::string text =
      "# from tvm.script import tir as T\n\n@T.prim_func\n"
      "def f(A: T.Buffer((100,), \"float32\"), B: T.Buffer((100,), \"float32\")):\n" +
      std::string(body);
  const auto document = tir::read({.file = "f", .member = "", .text = text});
  if (!document) throw std::runtime_error(to_string(document.error()));
  const auto functions = document->module.root().map(tir::f::IRModule::functions);
  return reach_of(KernelCode(functions.value(0))).arguments[1];
}

/// Bytes that are written; nothing where more may be.
std::optional<std::uint64_t> written(std::string_view body) {
  const Reach stored = reaches_of(body).stored;
  return stored.is_exact ? std::optional(stored.bytes) : std::nullopt;
}

TEST(WrittenExtent, ATailThatIsNotWrittenDoesNotCount) {
  EXPECT_EQ(written("    for i, j in T.grid(7, 16):\n"
                    "        if i * 4 + T.shift_right(j, 2) < 25:\n"
                    "            B[i * 16 + j] = A[i * 16 + j]\n"),
            400u);
}

TEST(WrittenExtent, LetsOnTheWayCount) {
  EXPECT_EQ(written("    for i in range(64):\n"
                    "        j: T.int32 = i * 2\n"
                    "        if j < 50:\n"
                    "            B[j] = A[j]\n"),
            196u);
}

TEST(WrittenExtent, AStoreUnderNoConditionReachesAsFarAsItsLoops) {
  EXPECT_EQ(written("    for i in range(64):\n        B[i] = A[i]\n"), 256u);
}

TEST(WrittenExtent, OneStoreBesideAnotherUnderAConditionReachesNoFurther) {
  EXPECT_EQ(written("    for o, i in T.grid(2, 32):\n"
                    "        B[o * 64 + i] = A[o * 64 + i]\n"
                    "        if o < 1:\n"
                    "            B[o * 64 + i + 32] = A[o * 64 + i + 32]\n"),
            384u);
}

TEST(WrittenExtent, AnElseBranchHasTheOppositeCondition) {
  EXPECT_EQ(written("    for i in range(100):\n"
                    "        if i < 5:\n"
                    "            B[0] = A[i]\n"
                    "        else:\n"
                    "            B[99 - i] = A[i]\n"),
            380u);
}

TEST(WrittenExtent, IsUnknownWhereAStoreIsSwitchedOff) {
  EXPECT_EQ(written("    for i in range(8):\n"
                    "        B[i] = A[i]\n"
                    "        if i < 0:\n"
                    "            B[i + 8] = A[i]\n"),
            std::nullopt);
}

TEST(WrittenExtent, ANumberAsAConditionIsTrueIfItIsNotZero) {
  EXPECT_EQ(written("    for i in range(64):\n"
                    "        if T.bitwise_and(i, 2):\n"
                    "            B[i % 32] = A[i]\n"),
            128u);
}

TEST(WrittenExtent, ANegativeNumberAsAConditionIsTrue) {
  EXPECT_EQ(written("    for i in range(2000000):\n"
                    "        if (i - 5000000) or T.bool(False):\n"
                    "            B[i % 32] = A[i]\n"),
            128u);
}

TEST(WrittenExtent, LoopsAreNotRun) {
  EXPECT_EQ(written("    for i in range(1000000000):\n"
                    "        if i < 5:\n"
                    "            B[i] = A[i]\n"),
            20u);
}

TEST(WrittenExtent, OneStoreThatIsNotKnownMayReachAnything) {
  const Reach stored = reaches_of(
                           "    for i in range(8):\n"
                           "        if i < 5:\n"
                           "            B[i] = A[i]\n"
                           "        B[T.Cast(\"int32\", A[i])] = A[i]\n")
                           .stored;
  EXPECT_FALSE(stored.is_exact);
  EXPECT_EQ(stored.bytes, 20u);
}

TEST(WrittenExtent, AConditionOnDataProvesNothing) {
  const Reach stored = reaches_of(
                           "    for i in range(200):\n"
                           "        if A[i] < T.float32(5):\n"
                           "            B[i] = A[i]\n")
                           .stored;
  EXPECT_FALSE(stored.is_exact);
  EXPECT_EQ(stored.bytes, 0u);
}

TEST(WrittenExtent, AChoiceInAnExpressionIsACondition) {
  EXPECT_EQ(
      reaches_of("    for i in range(200):\n"
                 "        A[i] = T.if_then_else(i < 10, B[i], T.float32(0), dtype=\"float32\")\n")
          .loaded.bytes,
      40u);
}

TEST(WrittenExtent, AnAddressThatIsPassedOnIsNoAccess) {
  const Reaches reaches = reaches_of(
      "    B[0] = A[0]\n"
      "    T.evaluate(T.call_extern(\"f\", T.address_of(B[50]), "
      "dtype=\"int32\"))\n");
  EXPECT_EQ(reaches.bytes(), 4u);
  EXPECT_TRUE(reaches.is_passed_on);
}

}  // namespace
}  // namespace mlf::graph
