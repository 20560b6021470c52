// Which bytes a kernel reads and writes of what it is given.
#include <gtest/gtest.h>

#include <stdexcept>

#include "analysis/cost/accesses.h"
#include "mlf/tir/document.h"

namespace mlf::analysis {
namespace {

/// A kernel over float32 tensors `A` and `B`, and `I` of int32.
Accesses accesses_in(std::string_view body) {
  const std::string text =
      "# from tvm.script import tir as T\n\n@T.prim_func\n"
      "def f(A: T.Buffer((64,), \"float32\"), B: T.Buffer((64,), \"float32\"), "
      "I: T.Buffer((64,), \"int32\")):\n" +
      std::string(body);
  const auto document = tir::read({.file = "f", .member = "", .text = text});
  if (!document) throw std::runtime_error(to_string(document.error()));
  return accesses_of(
      graph::KernelCode(document->module.root().map(tir::f::IRModule::functions).value(0)));
}

std::string bytes_text(const ByteSet& set) {
  std::string text;
  for (const ByteSpan& span : set.spans()) {
    if (!text.empty()) text += " ";
    text += std::to_string(span.begin) + "-" + std::to_string(span.end);
  }
  return text;
}

/// "reach 0-64, read 0-64, written " of an argument.
std::string of_argument(const Accesses& accesses, std::size_t argument) {
  for (const TouchedBytes& one : accesses.arguments) {
    if (one.argument != argument) continue;
    if (!one.unknown.empty()) return one.unknown.front();
    return "reach " + bytes_text(one.reach) + ", read " + bytes_text(one.read) + ", written " +
           bytes_text(one.written);
  }
  return "untouched";
}

std::string of_a(std::string_view body) {
  return of_argument(accesses_in(body), 0);
}

std::string of_b(std::string_view body) {
  return of_argument(accesses_in(body), 1);
}

TEST(Accesses, AreTheBytesOfAllIterations) {
  const Accesses accesses = accesses_in("    for i in range(16):\n        B[i] = A[i]\n");
  EXPECT_EQ(of_argument(accesses, 0), "reach 0-64, read 0-64, written ");
  EXPECT_EQ(of_argument(accesses, 1), "reach 0-64, read , written 0-64");
  EXPECT_EQ(of_argument(accesses, 2), "untouched");
}

TEST(Accesses, HaveTheGapsThatAStrideLeaves) {
  EXPECT_EQ(of_b("    for i in range(3):\n        B[i * 2] = T.float32(0)\n"),
            "reach 0-4 8-12 16-20, read , written 0-4 8-12 16-20");
}

TEST(Accesses, CountALoopFromWhereItBegins) {
  EXPECT_EQ(of_b("    for i in range(2, 5):\n        B[i] = T.float32(0)\n"),
            "reach 8-20, read , written 8-20");
}

TEST(Accesses, AreInFrontOfTheTensorWhereTheIndexIsNegative) {
  EXPECT_EQ(of_a("    for i in range(4):\n        B[i] = A[i - 8]\n"),
            "reach -32--16, read -32--16, written ");
}

TEST(Accesses, AreThoseThatConditionsLetHappen) {
  EXPECT_EQ(of_b("    for o, i in T.grid(3, 8):\n        if o * 8 + i < 20:\n"
                 "            B[o * 8 + i] = T.float32(0)\n"),
            "reach 0-80, read , written 0-80");
  EXPECT_EQ(of_a("    for i in range(12):\n        B[i] = T.if_then_else(2 <= i and i < 10, "
                 "A[i - 2], T.float32(0))\n"),
            "reach 0-32, read 0-32, written ");
}

TEST(Accesses, OfIndicesThatAreClampedHaveTheBoundsOfTheClamp) {
  const std::string index = "T.Cast(\"int32\", A[i]) - 1";
  EXPECT_EQ(
      of_b("    for i in range(4):\n        B[T.max(T.min(" + index + ", 3), 0)] = T.float32(0)\n"),
      "reach 0-16, read , written ");
  EXPECT_EQ(of_b("    for i in range(4):\n        B[T.min(" + index + ", 3)] = T.float32(0)\n")
                .substr(0, 7),
            "reach -");
}

TEST(Accesses, OfIndicesThatDivideAreRun) {
  EXPECT_EQ(of_b("    for i in range(12):\n        B[i % 3 * 4 + i // 3] = A[i]\n"),
            "reach 0-48, read , written 0-48");
}

TEST(Accesses, AreNotCertainWhereDataDecides) {
  EXPECT_EQ(of_b("    for i in range(4):\n        if A[i] < T.float32(1):\n"
                 "            B[i] = T.float32(0)\n"),
            "reach 0-16, read , written ");
}

TEST(Accesses, HaveTheBoundsOfAnIndexOutOfMemory) {
  EXPECT_EQ(of_a("    for i in range(4):\n        B[i] = A[T.max(T.min(I[i], 15), 0)]\n"),
            "reach 0-64, read 0-64, written ");
  EXPECT_EQ(of_b("    for i in range(4):\n        B[T.max(T.min(I[i], 15), 0)] = A[i]\n"),
            "reach 0-64, read , written ");
}

TEST(Accesses, NeedNothingThatTheKernelHasWrittenItself) {
  EXPECT_EQ(of_b("    for i in range(4):\n        B[i] = T.float32(0)\n"
                 "        for k in range(8):\n            B[i] = B[i] + A[i * 8 + k]\n"),
            "reach 0-16, read , written 0-16");
}

TEST(Accesses, NeedNothingThatTheFirstIterationHasWritten) {
  EXPECT_EQ(of_b("    for i in range(4):\n        for k in range(8):\n            if k == 0:\n"
                 "                B[i] = T.float32(0)\n"
                 "            B[i] = B[i] + A[i * 8 + k]\n"),
            "reach 0-16, read , written 0-16");
}

TEST(Accesses, NeedNothingThatTheIterationBeforeHasWritten) {
  EXPECT_EQ(of_b("    B[0] = A[0]\n    for i in range(7):\n        B[i + 1] = B[i] + A[i + 1]\n"),
            "reach 0-32, read , written 0-32");
}

TEST(Accesses, NeedWhatNotEachIterationBeforeHasWritten) {
  EXPECT_EQ(of_b("    B[0] = A[0]\n    for i in range(8):\n"
                 "        B[i // 2] = B[i // 2] + A[i]\n"),
            "reach 0-16, read 0-16, written 0-16");
}

TEST(Accesses, NeedWhatTheyReadBeforeTheyWriteIt) {
  EXPECT_EQ(of_b("    for i in range(4):\n        B[i] = B[i] + A[i]\n"),
            "reach 0-16, read 0-16, written 0-16");
  EXPECT_EQ(of_b("    for i in range(4):\n        B[i] = B[i + 1] + A[i]\n"),
            "reach 0-20, read 4-20, written 0-16");
  EXPECT_EQ(of_b("    for i in range(7):\n        B[i + 1] = B[i] + A[i + 1]\n"),
            "reach 0-32, read 0-28, written 4-32");
}

TEST(Accesses, NeedWhatALaterIterationWrites) {
  // Backwards in memory: iteration i reads what iteration i + 1 writes.
  EXPECT_EQ(of_b("    for i in range(4):\n        B[i] = A[i]\n        A[i] = B[i + 1]\n"),
            "reach 0-20, read 4-20, written 0-16");
}

TEST(Accesses, NeedWhatOnlyOneBranchWrites) {
  EXPECT_EQ(of_b("    for i in range(4):\n        if A[i] < T.float32(1):\n"
                 "            B[i] = T.float32(0)\n        A[i] = B[i]\n"),
            "reach 0-16, read 0-16, written ");
}

TEST(Accesses, AreKnownByLetAsWell) {
  const Accesses accesses = accesses_in(
      "    C_let: T.handle(\"float32\", \"global\") = T.address_of(B[8])\n"
      "    C = T.Buffer((4,), data=C_let)\n"
      "    for i in range(4):\n        C[i] = A[i]\n");
  EXPECT_EQ(of_argument(accesses, 1), "reach 32-48, read , written 32-48");
  ASSERT_EQ(accesses.lets.size(), 1u);
  EXPECT_EQ(accesses.lets[0].let, "C_let");
  EXPECT_EQ(accesses.lets[0].let_offset, 32);
  EXPECT_EQ(bytes_text(accesses.lets[0].written), "32-48");
}

TEST(Accesses, CountBytesOfAnyType) {
  EXPECT_EQ(of_b("    C = T.Buffer((64,), \"int8\", data=B.data)\n"
                 "    for i in range(6):\n        C[i] = T.int8(0)\n"),
            "reach 0-6, read , written 0-6");
  EXPECT_EQ(of_b("    C = T.Buffer((64,), \"float64\", data=B.data)\n"
                 "    for i in range(6):\n        C[i] = T.float64(0)\n"),
            "reach 0-48, read , written 0-48");
}

TEST(Accesses, OfVectorsAreThoseOfTheirElements) {
  EXPECT_EQ(of_b("    for i in range(2):\n        B[T.ramp(i * 8, 1, 4)] = "
                 "T.broadcast(T.float32(0), 4)\n"),
            "reach 0-16 32-48, read , written 0-16 32-48");
  EXPECT_EQ(of_b("    B[T.ramp(0, 2, 3)] = T.broadcast(T.float32(0), 3)\n"),
            "reach 0-4 8-12 16-20, read , written 0-4 8-12 16-20");
}

TEST(Accesses, AreUnknownForAFunctionThatReceivesATensor) {
  EXPECT_EQ(of_a("    T.evaluate(T.call_extern(\"int32\", \"use\", A.data))\n"),
            "is passed to 'use', which may access any part of it");
}

std::string unknown_of(std::string_view body) {
  const Accesses accesses = accesses_in(body);
  return accesses.unknown.empty() ? "" : accesses.unknown.front();
}

TEST(Accesses, AreNotCertainBehindAnEarlyEnd) {
  const std::string store = "    for i in range(4):\n        B[i] = T.float32(0)\n";
  EXPECT_EQ(unknown_of("    if A[0] < T.float32(1):\n        T.evaluate(T.ret(-1))\n" + store),
            "may return before it has written everything");
  EXPECT_EQ(
      unknown_of("    if A[0] < T.float32(1):\n        T.evaluate(T.tvm_throw_last_error())\n" +
                 store),
      "may return before it has written everything");
  EXPECT_EQ(unknown_of("    assert A[0] < T.float32(1), \"too large\"\n" + store),
            "may return before it has written everything");
  EXPECT_EQ(unknown_of("    T.evaluate(T.ret(0))\n" + store), "has code after its return");
  EXPECT_EQ(unknown_of("    if T.isnullptr(A.data):\n        T.evaluate(T.ret(-1))\n" + store), "");
  EXPECT_EQ(unknown_of(store + "    T.evaluate(T.ret(0))\n"), "");
}

TEST(Accesses, AreASpanWhereIterationsAreTooMany) {
  EXPECT_EQ(of_b("    for i in range(1000000000):\n        B[i % 3 * 4 + i // 500000000] = A[0]\n"),
            "reach 0-40, read , written ");
}

}  // namespace
}  // namespace mlf::analysis
