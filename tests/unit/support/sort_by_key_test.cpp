#include "support/sort_by_key.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace mlf::support {
namespace {

/// Numbers, some of them equal, with their places.
std::vector<std::pair<std::int64_t, int>> numbers(int count, std::int64_t least,
                                                  std::uint64_t distinct) {
  std::mt19937_64 random(7);
  std::vector<std::pair<std::int64_t, int>> result;
  for (int i = 0; i < count; ++i) {
    const std::uint64_t above = distinct == 0 ? random() : random() % distinct;
    result.emplace_back(static_cast<std::int64_t>(static_cast<std::uint64_t>(least) + above), i);
  }
  return result;
}

TEST(SortByKey, SortsNumbersOfAnySizeAndKeepsTheOrderOfEqualOnes) {
  for (const int count : {0, 1, 2, 1000, 1001, 20'000}) {
    for (const std::uint64_t distinct : {1u, 2u, 2048u, 100'000u, 0u}) {
      for (const std::int64_t least : {std::int64_t{0}, std::int64_t{-5000}, INT64_MIN}) {
        auto sorted = numbers(count, least, distinct);
        auto expected = sorted;
        std::ranges::sort(expected);  // places are in order
        sort_by_number(sorted, [](const auto& one) { return one.first; });
        EXPECT_EQ(sorted, expected) << count << " of " << distinct << " from " << least;
      }
    }
  }
}

TEST(SortByKey, MovesElementsThatCannotBeCopiedCheaply) {
  std::vector<std::string> texts;
  for (int i = 0; i < 3000; ++i) texts.emplace_back(static_cast<std::size_t>(i * 7919 % 3000), 'x');
  sort_by_key(texts, [](const std::string& text) { return text.size(); });
  for (std::size_t i = 0; i < texts.size(); ++i) ASSERT_EQ(texts[i].size(), i);
}

}  // namespace
}  // namespace mlf::support
