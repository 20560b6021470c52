#include "page/constants.h"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>

#include "page/script_functions.h"

namespace mlf::page {
namespace {

template <class T>
ConstantSummary summary(tir::DType dtype, const std::vector<T>& values) {
  return summary_of("weights", dtype, std::as_bytes(std::span(values)));
}

TEST(PageConstants, RangeZerosAndHistogram) {
  const auto constant = summary<std::int8_t>(tir::DType::Int(8), {-8, 0, 0, 7, 8});
  EXPECT_EQ(constant.elements, 5U);
  EXPECT_EQ(constant.zeros, 2U);
  EXPECT_EQ(constant.least, -8);
  EXPECT_EQ(constant.greatest, 8);
  ASSERT_EQ(constant.histogram.size(), ConstantSummary::kBins);
  EXPECT_EQ(constant.histogram.front(), 1U);
  EXPECT_EQ(constant.histogram[8], 2U);
  EXPECT_EQ(constant.histogram.back(), 2U);
}

TEST(PageConstants, EveryElementIsInOneBin) {
  for (const auto& values : {std::vector<float>{1.5F}, {0.1F, 0.2F, 0.3F}, {-1e30F, 1e30F, 0.0F}}) {
    const auto constant = summary(tir::DType::Float(32), values);
    EXPECT_EQ(std::accumulate(constant.histogram.begin(), constant.histogram.end(), 0U),
              values.size());
  }
}

TEST(PageConstants, WhatIsNoFiniteNumberHasNoHistogram) {
  const auto constant =
      summary<float>(tir::DType::Float(32), {1.0F, std::numeric_limits<float>::infinity()});
  EXPECT_EQ(constant.elements, 2U);
  EXPECT_TRUE(constant.histogram.empty());
  EXPECT_TRUE(summary<std::uint16_t>(tir::DType::Float(16), {1, 2}).histogram.empty());
  EXPECT_EQ(summary<std::uint16_t>(tir::DType::Float(16), {1, 2}).elements, 2U);
}

TEST(PageCode, LinesAreTakenWithTheirBreaks) {
  EXPECT_EQ(lines_of("a\nb\nc\n", 2, 3), "b\nc\n");
  EXPECT_EQ(lines_of("a\nb", 2, 2), "b");
  EXPECT_EQ(lines_of("a\nb", 3, 9), "");
  EXPECT_EQ(lines_of("", 1, 1), "");
}

}  // namespace
}  // namespace mlf::page
