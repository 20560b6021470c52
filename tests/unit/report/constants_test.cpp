#include "report/constants.h"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>

namespace mlf::report {
namespace {

template <class T>
std::optional<ConstantValues> values(tir::DType dtype, const std::vector<T>& elements) {
  return values_of(dtype, std::as_bytes(std::span(elements)));
}

TEST(Constants, HaveRangeZerosAndHistogram) {
  const auto constant = values<std::int8_t>(tir::DType::Int(8), {-8, 0, 0, 7, 8});
  ASSERT_TRUE(constant);
  EXPECT_EQ(constant->zeros, 2U);
  EXPECT_EQ(constant->least, -8);
  EXPECT_EQ(constant->greatest, 8);
  ASSERT_EQ(constant->histogram.size(), ConstantValues::kBins);
  EXPECT_EQ(constant->histogram.front(), 1U);
  EXPECT_EQ(constant->histogram[8], 2U);
  EXPECT_EQ(constant->histogram.back(), 2U);
}

TEST(Constants, HaveEveryElementInOneBin) {
  for (const auto& list : {std::vector<float>{1.5F}, {0.1F, 0.2F, 0.3F}, {-1e30F, 1e30F, 0.0F}}) {
    const auto constant = values(tir::DType::Float(32), list);
    ASSERT_TRUE(constant);
    EXPECT_EQ(std::accumulate(constant->histogram.begin(), constant->histogram.end(), 0U),
              list.size());
  }
}

TEST(Constants, HaveNoRangeWhereAnElementIsNoFiniteNumber) {
  EXPECT_FALSE(
      values<float>(tir::DType::Float(32), {1.0F, std::numeric_limits<float>::infinity()}));
  EXPECT_FALSE(values<std::uint16_t>(tir::DType::Float(16), {1, 2}));
  EXPECT_FALSE(values<float>(tir::DType::Float(32), {}));
}

TEST(Constants, HaveValuesAsShortAsTheirDtypeAllows) {
  EXPECT_EQ(value_text(static_cast<double>(0.1F), tir::DType::Float(32)), "0.1");
  EXPECT_EQ(value_text(-127, tir::DType::Int(8)), "-127");
}

}  // namespace
}  // namespace mlf::report
