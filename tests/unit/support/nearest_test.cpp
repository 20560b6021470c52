#include "support/nearest.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace mlf {
namespace {

const std::vector<std::string> kColumns{"kernel", "layer", "loaded", "mac", "percent", "c"};

TEST(Nearest, IsTheNameWithTheFewestEdits) {
  EXPECT_EQ(nearest("kernl", kColumns), "kernel");
  EXPECT_EQ(nearest("kernels", kColumns), "kernel");
  EXPECT_EQ(nearest("lyaer", kColumns), "layer");
  EXPECT_EQ(nearest("MAC", kColumns), "mac");
  EXPECT_EQ(nearest("loadad", kColumns), "loaded");
}

TEST(Nearest, IsNotAnotherName) {
  EXPECT_EQ(nearest("frobnicate", kColumns), std::nullopt);
  EXPECT_EQ(nearest("x", kColumns), std::nullopt);
  EXPECT_EQ(nearest("", kColumns), std::nullopt);
  EXPECT_EQ(nearest("mac", {}), std::nullopt);
}

TEST(Nearest, IsElseTheShortestNameThatContainsIt) {
  const std::vector<std::string> kernels{"fused_nn_conv2d_add_1", "fused_nn_conv2d_add",
                                         "fused_nn_dense"};
  EXPECT_EQ(nearest("conv2d", kernels), "fused_nn_conv2d_add");
  EXPECT_EQ(nearest("nn", kernels), std::nullopt);
  EXPECT_EQ(nearest("m4", std::vector<std::string>{"cortex-m3", "cortex-m4"}), "cortex-m4");
  EXPECT_EQ(nearest("fused_nn_densee", kernels), "fused_nn_dense");
}

TEST(Nearest, TakesNoTimeForLongNames) {
  const std::vector<std::string> long_names(1000, std::string(100000, 'x'));
  EXPECT_EQ(nearest(std::string(100001, 'x'), long_names), std::nullopt);
  EXPECT_EQ(nearest(std::string(99, 'x'), long_names), long_names.front());
}

TEST(SomeOf, AreTheFirstNamesAndACount) {
  std::vector<std::string> names{"expf", "memcpy", "sqrtf"};
  EXPECT_EQ(some_of({}), "");
  EXPECT_EQ(some_of(names), "expf, memcpy, sqrtf");
  EXPECT_EQ(some_of(names, 3), "expf, memcpy, sqrtf");
  EXPECT_EQ(some_of(names, 2), "expf, memcpy and 1 more");
  names.resize(10'000, "powf");
  EXPECT_EQ(some_of(names),
            "expf, memcpy, sqrtf, powf, powf, powf, powf, powf, powf, powf and 9990 more");
}

TEST(DidYouMean, IsTheEndOfAMessage) {
  EXPECT_EQ(did_you_mean("kernl", kColumns), "; did you mean 'kernel'?");
  EXPECT_EQ(did_you_mean("frobnicate", kColumns), "");
}

}  // namespace
}  // namespace mlf
