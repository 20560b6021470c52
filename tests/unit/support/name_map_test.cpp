#include "support/name_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "support/prefix_table.h"

namespace mlf::support {
namespace {

constexpr std::size_t kBuckets = 4099;

/// Names that an author of an archive would choose: std::hash puts them all into one bucket.
std::vector<std::string> names_of_one_bucket(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; names.size() < count; ++i) {
    std::string name = "v" + std::to_string(i);
    if (std::hash<std::string>()(name) % kBuckets == 0) names.push_back(std::move(name));
  }
  return names;
}

TEST(NameHash, NamesChosenForOneBucketOfTheStandardHashAreSpread) {
  std::map<std::size_t, std::size_t> used;
  for (const std::string& name : names_of_one_bucket(200)) ++used[NameHash()(name) % kBuckets];
  const auto fullest =
      std::ranges::max_element(used, {}, [](const auto& bucket) { return bucket.second; });
  EXPECT_LT(fullest->second, 10u);
}

TEST(NameHash, IsThatOfTheCharactersNotOfTheirPlace) {
  const std::string long_name(1000, 'x');
  for (const std::string& name : {std::string(), std::string("a"), long_name})
    EXPECT_EQ(NameHash()(name), NameHash()(std::string(name)));
  EXPECT_NE(NameHash()("a"), NameHash()("b"));
  EXPECT_NE(NameHash()(long_name), NameHash()(long_name.substr(1)));
}

TEST(NameMap, FindsAStringByItsView) {
  NameMap<std::string, int> map{{"left", 1}, {"right", 2}};
  EXPECT_EQ(map.find(std::string_view("right"))->second, 2);
  EXPECT_EQ(map.find(std::string_view("up")), map.end());
}

TEST(PrefixTable, TheLongestPrefixCounts) {
  PrefixTable table;
  table.add("tvmgen_a_", 0);
  table.add("tvmgen_a_b_", 1);
  table.add("tvmgen_c_", 2);
  EXPECT_EQ(table.longest_of("tvmgen_a_add"), 0u);
  EXPECT_EQ(table.longest_of("tvmgen_a_b_add"), 1u);
  EXPECT_EQ(table.longest_of("tvmgen_a_b"), 0u);
  EXPECT_EQ(table.longest_of("tvmgen_c_"), 2u);
  EXPECT_EQ(table.longest_of("tvmgen_c"), std::nullopt);
  EXPECT_EQ(table.longest_of(""), std::nullopt);
}

TEST(PrefixTable, OfEqualPrefixesTheFirstOneStays) {
  PrefixTable table;
  table.add("a_", 7);
  table.add("a_", 8);
  EXPECT_EQ(table.longest_of("a_f"), 7u);
}

}  // namespace
}  // namespace mlf::support
