// Kernels as people read them.
#include "analysis/loop_nest.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "mlf/tir/document.h"

namespace mlf::analysis {
namespace {

/// The lines below the head of a function with this body.
std::vector<NestLine> lines_of(const std::string& body) {
  const std::string text =
      "@T.prim_func\ndef f(A: T.Buffer((64,), \"float32\"), B: T.Buffer((64,), \"float32\")):\n" +
      body;
  const auto document = tir::read({.file = "kernel", .member = {}, .text = text});
  if (!document) {
    ADD_FAILURE() << to_string(document.error());
    return {};
  }
  const tir::Node function = document->module.root().map(tir::f::IRModule::functions).value(0);
  LoopNest nest = loop_nest(function, "f", kernel_cost(function));
  EXPECT_EQ(nest.lines.front().text, "def f(A: float32[64], B: float32[64]):");
  nest.lines.erase(nest.lines.begin());
  return nest.lines;
}

/// The same as text, two blanks a level.
std::string code_of(const std::string& body) {
  std::string code;
  for (const NestLine& line : lines_of(body)) {
    code += std::string(2 * (line.depth - 1), ' ') + line.text + "\n";
  }
  return code;
}

TEST(LoopNest, SaysTheKindOfALoopAndItsExtent) {
  EXPECT_EQ(code_of("    for i in range(8):\n"
                    "        for j in T.unroll(2):\n"
                    "            B[i * 2 + j] = A[i * 2 + j]\n"
                    "    for k in T.parallel(4):\n"
                    "        B[k] = A[k]\n"
                    "    for k in T.vectorized(2, 6):\n"
                    "        B[k] = A[k]\n"),
            "for i in range(8):\n"
            "  for j in unrolled(2):\n"
            "    B[i*2 + j] = A[i*2 + j]\n"
            "for k in parallel(4):\n"
            "  B[k] = A[k]\n"
            "for k in vectorized(2, 6):\n"
            "  B[k] = A[k]\n");
}

TEST(LoopNest, HasTheCostOfALoopBesideIt) {
  const auto lines = lines_of(
      "    for i in range(8):\n"
      "        B[0] = B[0] + A[i] * A[i + 1]\n");
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].loop, 0u);
  EXPECT_FALSE(lines[1].loop);
  EXPECT_EQ(lines[1].text, "B[0] += A[i]*A[i + 1]");
}

TEST(LoopNest, FoldsConstants) {
  EXPECT_EQ(code_of("    for i in range(2):\n"
                    "        B[i * 1 + (3 * 4 - 12)] = A[0 + i + (7 // 2 + 1)] + T.float32(0.5)\n"),
            "for i in range(2):\n"
            "  B[i] = A[i + 4] + 0.5\n");
}

TEST(LoopNest, KeepsTheOrderOfEvaluation) {
  EXPECT_EQ(code_of("    for i, j in T.grid(4, 4):\n"
                    "        B[(i + j) * 2] = A[i - (j - 1)] * (A[i] + A[j]) / A[i * (j % 2)]\n"),
            "for i in range(4):\n"
            "  for j in range(4):\n"
            "    B[(i + j)*2] = A[i - (j - 1)]*(A[i] + A[j])/A[i*(j%2)]\n");
}

TEST(LoopNest, ShowsVectorsAsSlices) {
  EXPECT_EQ(
      code_of(
          "    for i in range(4):\n"
          "        B[i * 16:i * 16 + 16] = A[i * 16:i * 16 + 16] * T.Broadcast(T.float32(2), 16)\n"
          "    B[T.Ramp(1, 3, 4)] = A[0:4]\n"),
      "for i in range(4):\n"
      "  B[i*16 : i*16 + 16] = A[i*16 : i*16 + 16]*2.0\n"
      "B[1 : 13 : 3] = A[0 : 4]\n");
}

TEST(LoopNest, ShowsConditionsAndCalls) {
  EXPECT_EQ(code_of("    for i in range(4):\n"
                    "        if i < 2:\n"
                    "            B[i] = T.if_then_else(i < 1 and 0 < i, A[i], T.float32(0))\n"
                    "        else:\n"
                    "            B[i] = T.exp(A[i]) + T.Select(i < 3, A[0], A[1])\n"
                    "    T.evaluate(T.call_extern(\"int32\", \"other\", A.data, 3))\n"),
            "for i in range(4):\n"
            "  if i < 2:\n"
            "    B[i] = A[i] if i < 1 and 0 < i else 0.0\n"
            "  else:\n"
            "    B[i] = exp(A[i]) + select(i < 3, A[0], A[1])\n"
            "other(A, 3)\n");
}

TEST(LoopNest, SaysTheBytesOfAllocations) {
  const auto lines = lines_of(
      "    C = T.allocate([16], \"int16\", \"global\")\n"
      "    C_1 = T.Buffer((16,), \"int16\", data=C)\n"
      "    C_1[0] = T.Cast(\"int16\", A[0])\n");
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].text, "C = allocate(int16[16])");
  EXPECT_EQ(lines[0].bytes, 32u);
  // By the name of the memory, not of the view.
  EXPECT_EQ(lines[1].text, "C[0] = int16(A[0])");
}

TEST(LoopNest, IsBoundedWhereNestsAreNot) {
  std::string deep = "A[0]";
  for (int i = 0; i < 2000; ++i) deep = "T.exp(" + deep + ")";
  const auto lines = lines_of("    B[0] = " + deep + "\n");
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_LT(lines[0].text.size(), 2100u);
  EXPECT_TRUE(lines[0].text.ends_with("..."));
  std::string many;
  for (int i = 0; i < 10100; ++i) many += "    B[0] = A[0]\n";
  EXPECT_EQ(lines_of(many).size() + 1, 10000u);
}

}  // namespace
}  // namespace mlf::analysis
