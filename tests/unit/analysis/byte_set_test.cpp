// Sets of bytes, and copies of them at other places.
#include <gtest/gtest.h>

#include <array>

#include "analysis/cost/byte_set.h"

namespace mlf::analysis {
namespace {

/// "0-4 8-12"
std::string spans_text(const ByteSet& set) {
  std::string text;
  for (const ByteSpan& span : set.spans()) {
    if (!text.empty()) text += " ";
    text += std::to_string(span.begin) + "-" + std::to_string(span.end);
  }
  return text;
}

TEST(ByteSet, JoinsSpansThatTouch) {
  ByteSet set({8, 12});
  set.add(ByteSet({0, 4}));
  EXPECT_EQ(spans_text(set), "0-4 8-12");
  set.add(ByteSet({4, 8}));
  EXPECT_EQ(spans_text(set), "0-12");
}

TEST(ByteSet, CoversNothingThatReachesIntoAGap) {
  ByteSet set({0, 4});
  set.add(ByteSet({8, 12}));
  EXPECT_TRUE(set.covers(ByteSet({8, 12})));
  EXPECT_TRUE(set.covers(ByteSet()));
  EXPECT_FALSE(set.covers(ByteSet({3, 5})));
  EXPECT_FALSE(set.covers(ByteSet({4, 8})));
  EXPECT_FALSE(set.covers(ByteSet({-1, 2})));
}

TEST(ByteSet, IsOneSpanWhereCopiesTouch) {
  EXPECT_EQ(spans_text(*ByteSet({0, 4}).repeated(4, 16)), "0-64");
  EXPECT_EQ(spans_text(*ByteSet({0, 4}).repeated(-4, 16)), "-60-4");
  EXPECT_EQ(spans_text(*ByteSet({0, 4}).repeated(8, 3)), "0-4 8-12 16-20");
  EXPECT_EQ(spans_text(*ByteSet({0, 4}).repeated(-8, 2)), "-8--4 0-4");
  EXPECT_EQ(spans_text(*ByteSet({0, 4}).repeated(0, 5)), "0-4");
}

TEST(ByteSet, IsAtEachDistance) {
  const std::array<std::int64_t, 3> distances{0, 4, 12};
  EXPECT_EQ(spans_text(*ByteSet({0, 4}).at_each(distances)), "0-8 12-16");
}

TEST(ByteSet, HasNoMoreSpansThanAreWorthIt) {
  EXPECT_FALSE(ByteSet({0, 1}).repeated(2, std::uint64_t{1} << 40));
  EXPECT_FALSE(ByteSet({0, 1}).repeated(std::int64_t{1} << 60, 3));
  EXPECT_TRUE(ByteSet({0, 2}).repeated(2, std::uint64_t{1} << 40));
}

}  // namespace
}  // namespace mlf::analysis
