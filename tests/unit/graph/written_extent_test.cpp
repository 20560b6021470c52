// How much of a tensor is written, where loops reach beyond its end.
#include "graph/kernels/body_scan.h"

#include <gtest/gtest.h>

#include "mlf/tir/document.h"

namespace mlf::graph {
namespace {

/// Extents of all tensors that one kernel writes; `body` stores into `B`.
std::vector<std::int64_t> extents_of(std::string_view body) {
  const std::string text =
      "# from tvm.script import tir as T\n\n@T.prim_func\n"
      "def f(A: T.Buffer((100,), \"float32\"), B: T.Buffer((100,), \"float32\")):\n" +
      std::string(body);
  const auto document = tir::read({.file = "f", .member = "", .text = text});
  if (!document) throw std::runtime_error(to_string(document.error().front()));
  const auto functions = document->module.root().map(tir::f::IRModule::functions);
  std::vector<std::int64_t> extents;
  for (const auto& [data, extent] : guarded_extents(functions.value(0))) extents.push_back(extent);
  return extents;
}

using Extents = std::vector<std::int64_t>;

TEST(WrittenExtent, ATailThatIsNotWrittenDoesNotCount) {
  EXPECT_EQ(extents_of("    for i, j in T.grid(7, 16):\n"
                       "        if i * 4 + T.shift_right(j, 2) < 25:\n"
                       "            B[i * 16 + j] = A[i * 16 + j]\n"),
            Extents{100});
}

TEST(WrittenExtent, LetsOnTheWayCount) {
  EXPECT_EQ(extents_of("    for i in range(64):\n"
                       "        j: T.int32 = i * 2\n"
                       "        if j < 50:\n"
                       "            B[j] = A[j]\n"),
            Extents{49});
}

TEST(WrittenExtent, StoresUnderNoConditionAreLeftToTheirLoops) {
  EXPECT_EQ(extents_of("    for i in range(64):\n        B[i] = A[i]\n"), Extents{});
}

TEST(WrittenExtent, OneStoreThatCannotBeRunSpoilsItsTensor) {
  EXPECT_EQ(extents_of("    for i in range(8):\n"
                       "        if i < 5:\n"
                       "            B[i] = A[i]\n"
                       "        B[T.Cast(\"int32\", A[i])] = A[i]\n"),
            Extents{});
}

TEST(WrittenExtent, LoopsThatAreTooLongAreNotRun) {
  EXPECT_EQ(extents_of("    for i in range(100000000):\n"
                       "        if i < 5:\n"
                       "            B[i] = A[i]\n"),
            Extents{});
}

}  // namespace
}  // namespace mlf::graph
