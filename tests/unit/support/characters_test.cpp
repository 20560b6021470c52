#include "support/characters.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace mlf::test {
namespace {

using support::find_word;
using support::words_of;

TEST(Characters, ANumberThatMakesANameUniqueIsLeftOut) {
  EXPECT_EQ(support::without_number("x_12"), "x");
  EXPECT_EQ(support::without_number("x_1_2"), "x_1");
  for (const std::string_view name : {"x", "x1", "x_", "_1", "12", ""}) {
    EXPECT_EQ(support::without_number(name), name);
  }
}

TEST(WordsOf, AreThoseOfAShell) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(words_of("  -Os\t-mcpu=m4\n"), (Words{"-Os", "-mcpu=m4"}));
  EXPECT_EQ(words_of(R"(-DX="a b" '-D Y="z"' c\ d "\"\\\n" '\' "")"),
            (Words{"-DX=a b", R"(-D Y="z")", "c d", R"("\\n)", "\\", ""}));
}

TEST(FindWord, SkipsPartsOfOtherWords) {
  EXPECT_EQ(find_word("w0 xw w", "w"), 6U);
  EXPECT_EQ(find_word("w_1[w]", "w"), 4U);
  EXPECT_EQ(find_word("w0 xw", "w"), std::string_view::npos);
}

TEST(FindWord, FindsAWordThatIsTheWholeText) {
  EXPECT_EQ(find_word("w", "w"), 0U);
}

TEST(FindWord, BeginsWhereItIsTold) {
  EXPECT_EQ(find_word("w+w", "w", 1), 2U);
  EXPECT_EQ(find_word("w", "w", 1), std::string_view::npos);
}

}  // namespace
}  // namespace mlf::test
