#include "support/digits.h"

#include <gtest/gtest.h>

namespace mlf {
namespace {

TEST(Percent, IsRoundedToOneDecimal) {
  EXPECT_EQ(percent(4607, 10000), "46.1");
  EXPECT_EQ(percent(4604, 10000), "46.0");
  EXPECT_EQ(percent(1, 3), "33.3");
  EXPECT_EQ(percent(2, 3), "66.7");
  EXPECT_EQ(percent(1, 100000), "0.0");
  EXPECT_EQ(percent(3, 2), "150.0");
}

TEST(Percent, OfLargeNumbersDoesNotOverflow) {
  EXPECT_EQ(percent(UINT64_MAX, UINT64_MAX), "100.0");
}

TEST(Percent, OfNothingIsZero) {
  EXPECT_EQ(percent(0, 0), "0.0");
}

}  // namespace
}  // namespace mlf
