// What an operator reduces, and what is fused behind it.
#include "analysis/cost/accumulation.h"

#include <gtest/gtest.h>

#include <string>

#include "mlf/tir/document.h"

namespace mlf::analysis {
namespace {

using Parameters = std::optional<std::set<std::size_t>>;

/// Of a kernel with the parameters A, W, R and B.
Parameters parameters_of(const std::string& body) {
  std::string parameters;
  for (const std::string name : {"A", "W", "R", "B"}) {
    parameters += (parameters.empty() ? "" : ", ") + name + ": T.Buffer((64,), \"float32\")";
  }
  const std::string text = "@T.prim_func\ndef f(" + parameters + "):\n" + body;
  const auto document = tir::read({.file = "kernel", .member = {}, .text = text});
  if (!document) {
    ADD_FAILURE() << to_string(document.error());
    return std::nullopt;
  }
  const auto functions = document->module.root().map(tir::f::IRModule::functions);
  return accumulated_parameters(graph::KernelCode(functions.value(0)));
}

TEST(AccumulatedParameters, AreThoseOfTheSumAndNotOfWhatIsAddedToIt) {
  EXPECT_EQ(parameters_of("    conv = T.allocate([64], \"float32\", \"global\")\n"
                          "    sum = T.Buffer((64,), data=conv)\n"
                          "    for i in range(8):\n"
                          "        sum[i] = T.float32(0)\n"
                          "        for k in range(8):\n"
                          "            sum[i] = sum[i] + A[i + k] * W[k]\n"
                          "    for i in range(8):\n"
                          "        B[i] = sum[i] + R[i]\n"),
            (std::set<std::size_t>{0, 1}));
}

TEST(AccumulatedParameters, AreFoundThroughCopiesAndLets) {
  EXPECT_EQ(parameters_of("    pad = T.allocate([64], \"float32\", \"global\")\n"
                          "    padded = T.Buffer((64,), data=pad)\n"
                          "    conv = T.allocate([1], \"float32\", \"global\")\n"
                          "    sum = T.Buffer((1,), data=conv)\n"
                          "    for i in range(64):\n"
                          "        padded[i] = R[i]\n"
                          "    for k in range(8):\n"
                          "        v: T.float32 = padded[k] * W[k]\n"
                          "        sum[0] = sum[0] + v\n"
                          "    B[0] = T.max(sum[0] + A[0], T.float32(0))\n"),
            (std::set<std::size_t>{1, 2}));
}

TEST(AccumulatedParameters, IncludeTheOutputThatIsAccumulated) {
  EXPECT_EQ(parameters_of("    for k in range(8):\n        B[0] = T.max(B[0], A[k])\n"),
            (std::set<std::size_t>{0, 3}));
}

TEST(AccumulatedParameters, AreNotKnownWithoutAccumulationAndWithOtherFunctions) {
  EXPECT_EQ(parameters_of("    for k in range(8):\n        B[k] = A[k] + R[k]\n"), std::nullopt);
  EXPECT_EQ(parameters_of("    for k in range(8):\n        B[0] = B[0] + A[k]\n"
                          "    T.evaluate(T.call_extern(\"int32\", \"f\", W.data, B.data))\n"),
            std::nullopt);
}

}  // namespace
}  // namespace mlf::analysis
