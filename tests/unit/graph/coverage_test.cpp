// The bytes that ranges cover together, against counting them one by one.
#include "graph/network/memory_use.h"

#include <gtest/gtest.h>

#include <array>
#include <random>

namespace mlf::graph {
namespace {

constexpr std::size_t kBytes = 64;
using Counts = std::array<int, kBytes>;

void expect_same(const Coverage& coverage, const Counts& counts) {
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < kBytes; ++i) {
    if (counts[i] != 0) ++bytes;
  }
  ASSERT_EQ(coverage.bytes(), bytes);
}

TEST(Coverage, OfNothingIsNothing) {
  EXPECT_EQ(Coverage({}).bytes(), 0u);
  Coverage empty({{7, 7}});
  empty.add({7, 7});
  EXPECT_EQ(empty.bytes(), 0u);
}

TEST(Coverage, CountsEveryByteOnceAfterAnyChange) {
  std::mt19937 random(1);
  for (int round = 0; round < 50; ++round) {
    std::vector<ByteRange> ranges;
    for (std::size_t i = 0; i < 1 + random() % 12; ++i) {
      const std::uint64_t begin = random() % kBytes;
      ranges.push_back({begin, begin + random() % (kBytes - begin)});
    }
    Coverage coverage(ranges);
    Counts counts{};
    std::vector<bool> there(ranges.size());
    for (int step = 0; step < 100; ++step) {
      const std::size_t i = random() % ranges.size();
      there[i] ? coverage.remove(ranges[i]) : coverage.add(ranges[i]);
      for (std::uint64_t byte = ranges[i].begin; byte < ranges[i].end; ++byte) {
        counts[byte] += there[i] ? -1 : 1;
      }
      there[i] = !there[i];
      expect_same(coverage, counts);
    }
  }
}

}  // namespace
}  // namespace mlf::graph
