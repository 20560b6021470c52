// Numbers with bounds: exact, between two, unknown.
#include "mlf/analysis/cost.h"

#include <gtest/gtest.h>

#include <limits>

namespace mlf::analysis {
namespace {

const Count kAtLeastThree{3, std::nullopt};
constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();

TEST(Count, ASumHasTheSumsOfItsBounds) {
  EXPECT_EQ(Count(2) + Count(3), Count(5));
  EXPECT_EQ(Count(1, 4) + Count(2), Count(3, 6));
}

TEST(Count, ASumWithAnUnknownPartIsUnknownAndAtLeastWhatIsKnown) {
  const Count sum = kAtLeastThree + Count(5);
  EXPECT_FALSE(sum.is_known());
  EXPECT_EQ(sum.min, 8u);
}

TEST(Count, AProductHasTheProductsOfItsBounds) {
  EXPECT_EQ(Count(2, 3) * Count(5), Count(10, 15));
  EXPECT_EQ(kAtLeastThree * Count(2), Count(6, std::nullopt));
}

TEST(Count, NothingTimesAnUnknownNumberIsNothing) {
  EXPECT_EQ(kAtLeastThree * Count(0), Count(0));
}

TEST(Count, IsExactUpToTheLargestNumberOfTheJson) {
  EXPECT_EQ(Count(kMost - 1) + Count(1), Count(kMost));
  EXPECT_EQ(Count(kMost) * Count(1), Count(kMost));
  EXPECT_EQ(Count(std::uint64_t{1} << 31) * Count(std::uint64_t{1} << 31),
            Count(std::uint64_t{1} << 62));
}

TEST(Count, BeyondTheLargestNumberOfTheJsonHasNoMaximum) {
  const Count beyond(kMost, std::nullopt);
  EXPECT_EQ(Count(kMost) + Count(1), beyond);
  EXPECT_EQ(Count(kMost) * Count(2), beyond);
  EXPECT_EQ(Count(std::uint64_t{1} << 62) + Count(std::uint64_t{1} << 62), beyond);
  EXPECT_EQ(Count(1, kMost) + Count(1), Count(2, std::nullopt));
  EXPECT_EQ(Count(1, kMost) * Count(2), Count(2, std::nullopt));
}

}  // namespace
}  // namespace mlf::analysis
