// Splits into memories with limits: within them, and against every other split of few buffers.
#include "plan/network/network_problem.h"

#include <gtest/gtest.h>

#include "support/error.h"
#include "unit/plan/random_problems.h"

namespace mlf::plan {
namespace {

std::vector<AccessedBuffer> random_buffers(std::mt19937& random, int most) {
  const Problem problem =
      random_problem({.buffers = most, .steps = 8, .gaps = random() % 2 == 0}, random);
  std::vector<AccessedBuffer> buffers;
  for (const Buffer& buffer : problem.buffers) {
    buffers.push_back({buffer, analysis::Count(random() % 50)});
  }
  return buffers;
}

/// The buffers that `chosen` has a bit for.
Problem part_of(const std::vector<AccessedBuffer>& buffers, std::size_t chosen) {
  Problem problem;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    if ((chosen >> i & 1) != 0) problem.buffers.push_back(buffers[i].buffer);
  }
  return problem;
}

std::uint64_t accessed_in(const std::vector<AccessedBuffer>& buffers, std::size_t chosen) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    if ((chosen >> i & 1) != 0) sum += buffers[i].accessed.min;
  }
  return sum;
}

/// The most that any set of buffers has that fits.
std::uint64_t most_by_trying_all(const std::vector<AccessedBuffer>& buffers, std::uint64_t limit) {
  std::uint64_t most = 0;
  for (std::size_t chosen = 0; chosen < std::size_t{1} << buffers.size(); ++chosen) {
    if (accessed_in(buffers, chosen) <= most) continue;
    const Problem part = part_of(buffers, chosen);
    if (least_size_by_brute_force(part) <= limit) most = accessed_in(buffers, chosen);
  }
  return most;
}

/// Every memory is a plan of the buffers in it, and its sums are theirs.
void expect_whole(const std::vector<AccessedBuffer>& buffers, const PoolSplit& split) {
  ASSERT_EQ(split.places.size(), buffers.size());
  bool fits = true;
  for (std::size_t m = 0; m < split.memories.size(); ++m) {
    std::size_t chosen = 0;
    std::vector<std::uint64_t> offsets;
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      if (split.places[i].memory != m) continue;
      chosen |= std::size_t{1} << i;
      offsets.push_back(split.places[i].offset);
    }
    const auto size = check_offsets(part_of(buffers, chosen), offsets);
    ASSERT_TRUE(size) << to_string(size.error());
    EXPECT_EQ(*size, split.memories[m].size);
    EXPECT_EQ(offsets.size(), split.memories[m].buffers);
    EXPECT_EQ(split.memories[m].accessed, analysis::Count(accessed_in(buffers, chosen)));
    if (m + 1 < split.memories.size()) {
      EXPECT_LE(*size, split.memories[m].limit.bytes);
    }
    fits = fits && *size <= split.memories[m].limit.bytes;
  }
  EXPECT_EQ(split.fits, fits);
}

TEST(PoolSplit, IsWholeAndNeverAboveItsBound) {
  std::mt19937 random(7);
  std::size_t best = 0;
  const int times = 300;
  for (int i = 0; i < times; ++i) {
    const std::vector<AccessedBuffer> buffers = random_buffers(random, 6);
    const MemoryLimit fast{"fast", random() % 20};
    const std::vector<MemoryLimit> memories{fast, {"slow", random() % 60}};
    const PoolSplit split = split_pools(buffers, memories);
    expect_whole(buffers, split);
    const std::uint64_t most = most_by_trying_all(buffers, fast.bytes);
    EXPECT_LE(split.memories[0].accessed.min, most);
    EXPECT_LE(most, split.most_in_first);
    best += split.memories[0].accessed.min == most ? 1 : 0;
  }
  // Taking the densest first is a heuristic, but a good one.
  EXPECT_GT(best, times * 3 / 4);
}

TEST(PoolSplit, OfOneMemoryIsThePlanOfAll) {
  std::mt19937 random(8);
  for (int i = 0; i < 50; ++i) {
    const std::vector<AccessedBuffer> buffers = random_buffers(random, 8);
    const std::vector<MemoryLimit> one{{"ram", 1 << 20}};
    const PoolSplit split = split_pools(buffers, one);
    expect_whole(buffers, split);
    EXPECT_TRUE(split.fits);
    EXPECT_EQ(split.most_in_first, split.memories[0].accessed.min);
    EXPECT_EQ(split.memories[0].size,
              solve(part_of(buffers, (std::size_t{1} << buffers.size()) - 1))->size);
  }
}

TEST(PoolSplit, CountsWhatIsCertainAndKeepsWhatIsNot) {
  const std::vector<AccessedBuffer> buffers{
      {{.id = "known", .lower = 0, .upper = 1, .size = 8}, analysis::Count(10)},
      {{.id = "unknown", .lower = 0, .upper = 1, .size = 8}, analysis::Count(0, std::nullopt)}};
  const std::vector<MemoryLimit> memories{{"fast", 8}, {"slow", 8}};
  const PoolSplit split = split_pools(buffers, memories);
  EXPECT_TRUE(split.fits);
  EXPECT_EQ(split.places[0].memory, 0u);
  EXPECT_EQ(split.places[1].memory, 1u);
  EXPECT_FALSE(split.memories[1].accessed.is_known());
}

TEST(PoolSplit, TriesNoBufferOnceTheTimeIsOver) {
  std::mt19937 random(9);
  for (int i = 0; i < 20; ++i) {
    const std::vector<AccessedBuffer> buffers = random_buffers(random, 8);
    const std::vector<MemoryLimit> memories{{"fast", 1 << 20}, {"slow", 1 << 20}};
    SearchLimits limits;
    limits.seconds = std::chrono::duration<double>(0);
    const PoolSplit split = split_pools(buffers, memories, limits);
    expect_whole(buffers, split);
    EXPECT_EQ(split.memories[0].buffers, 0U);
    EXPECT_TRUE(split.fits);
  }
}

TEST(PoolSplit, TakesBuffersWithGapsOverEachOther) {
  const analysis::Count accessed(10);
  const std::vector<AccessedBuffer> buffers{
      {{.id = "twice", .lower = 0, .upper = 9, .gaps = {{3, 6}}, .size = 8}, accessed},
      {{.id = "between", .lower = 3, .upper = 6, .size = 8}, accessed},
      {{.id = "over", .lower = 5, .upper = 7, .size = 8}, accessed}};
  const std::vector<MemoryLimit> memories{{"fast", 8}, {"slow", 8}};
  const PoolSplit split = split_pools(buffers, memories);
  expect_whole(buffers, split);
  EXPECT_EQ(split.places[1].memory, 0U);
  EXPECT_EQ(split.places[2].memory, 1U);
}

TEST(PoolSplit, LeavesConstantsToTheirMemoryWhereTensorsNeedTheOthers) {
  const auto buffer = [](std::uint64_t bytes, std::uint64_t accessed, bool is_constant) {
    return AccessedBuffer{.buffer = {.id = "b", .lower = 0, .upper = 2, .size = bytes},
                          .accessed = analysis::Count(accessed),
                          .is_constant = is_constant};
  };
  const std::vector<AccessedBuffer> buffers{buffer(60, 10'000, true), buffer(100, 10, false),
                                            buffer(100, 10, false)};
  const std::vector<MemoryLimit> memories{{"fast", 100}, {"slow", 100}, {"flash", 1'000, true}};
  const PoolSplit split = split_pools(buffers, memories, {});
  EXPECT_TRUE(split.fits);
  EXPECT_EQ(split.places[0].memory, 2U);
  // With a byte for all of them, the constant keeps the fast memory.
  const std::vector<MemoryLimit> larger{{"fast", 60}, {"slow", 200}, {"flash", 1'000, true}};
  EXPECT_EQ(split_pools(buffers, larger, {}).places[0].memory, 0U);
}

TEST(PoolSplit, NeedsAMemory) {
  const auto split = support::to_result([] { return split_pools({}, {}); });
  ASSERT_FALSE(split);
  EXPECT_EQ(split.error().kind, ErrorKind::usage);
}

}  // namespace
}  // namespace mlf::plan
