#include "tir/interval.h"

#include <gtest/gtest.h>

namespace mlf::tir {
namespace {

/// Div rounds towards zero, FloorDiv down, as C and Python divide.
TEST(Intervals, OfQuotientsRoundAsTheOperatorDoes) {
  const Interval seven{-7, 7};
  const Interval two{2, 2};
  const auto truncated = combine(Kind::Div, seven, two);
  ASSERT_TRUE(truncated);
  EXPECT_EQ(truncated->low, -3);
  EXPECT_EQ(truncated->high, 3);
  const auto floored = combine(Kind::FloorDiv, seven, two);
  ASSERT_TRUE(floored);
  EXPECT_EQ(floored->low, -4);
  EXPECT_EQ(floored->high, 3);
}

TEST(Intervals, OfQuotientsAreKnownForPositiveConstantsOnly) {
  EXPECT_FALSE(combine(Kind::Div, {0, 8}, {1, 2}));
  EXPECT_FALSE(combine(Kind::FloorDiv, {0, 8}, {-2, -2}));
}

}  // namespace
}  // namespace mlf::tir
