// The words of a text, and numbers in exchange for others.
#include <gtest/gtest.h>

#include "replan/edit.h"
#include "replan/words.h"
#include "support/error.h"

namespace mlf::test {
namespace {

using replan::Comments;
using replan::Edit;
using replan::Word;

std::vector<std::string> texts(std::string_view text, Comments comments) {
  std::vector<std::string> result;
  for (const Word& word : replan::words_of(text, comments)) result.emplace_back(word.text);
  return result;
}

using Texts = std::vector<std::string>;

TEST(WordsOfAText, AreNamesNumbersStringsAndSigns) {
  EXPECT_EQ(texts("let compute.global: x = @tir.address_of(b[12])", Comments::python),
            (Texts{"let", "compute.global", ":", "x", "=", "@tir.address_of", "(", "b", "[", "12",
                   "]", ")"}));
}

TEST(WordsOfAText, LeaveOutComments) {
  EXPECT_EQ(texts("a // b[1]\n c /* d */ e", Comments::c), (Texts{"a", "c", "e"}));
  EXPECT_EQ(texts("a # it's b[1]\nc", Comments::python), (Texts{"a", "c"}));
  EXPECT_EQ(texts("#define A 1", Comments::c), (Texts{"#", "define", "A", "1"}));
  EXPECT_EQ(texts("a /* b", Comments::c), (Texts{"a"}));
}

TEST(WordsOfAText, KeepStringsWhole) {
  EXPECT_EQ(texts(R"(f("a[1] \" # // x", 'y'))", Comments::c),
            (Texts{"f", "(", R"("a[1] \" # // x")", ",", "'y'", ")"}));
  EXPECT_EQ(texts("\"open", Comments::c), (Texts{"\"open"}));
}

TEST(WordsOfAText, KnowTheirPlaceInTheWholeText) {
  const std::vector<Word> words = replan::words_of("abc def ghi", {4, 7}, Comments::c);
  ASSERT_EQ(words.size(), 1U);
  EXPECT_EQ(words[0].text, "def");
  EXPECT_EQ(words[0].offset, 4U);
}

TEST(WordsOfAText, AreNumbersOnlyIfTheyAreDigits) {
  EXPECT_EQ(replan::number_of({"104192", 0}), 104192U);
  for (const std::string_view text : {"0x10", "1.5", "-1", "x", "", "99999999999999999999"}) {
    EXPECT_EQ(replan::number_of({text, 0}), std::nullopt) << text;
  }
}

TEST(WordsOfAText, MatchPatternsWithinTheirEnd) {
  const std::vector<Word> words = replan::words_of("a [ 1 ]", Comments::c);
  EXPECT_TRUE(replan::matches(words, 0, {"a", "[", "", "]"}));
  EXPECT_FALSE(replan::matches(words, 0, {"a", "[", "", "]", ""}));
  EXPECT_FALSE(replan::matches(words, 5, {"a"}));
}

TEST(Edits, ExchangeNumbersInAnyOrder) {
  EXPECT_EQ(replan::apply("a[100] b[7]", {{9, 1, 1234}, {2, 3, 5}}), "a[5] b[1234]");
  EXPECT_EQ(replan::apply("a[100]", {}), "a[100]");
}

TEST(Edits, OfOneNumberHaveToAgree) {
  EXPECT_EQ(replan::apply("a[100]", {{2, 3, 5}, {2, 3, 5}}), "a[5]");
  EXPECT_THROW(replan::apply("a[100]", {{2, 3, 5}, {2, 3, 6}}), support::Error);
}

}  // namespace
}  // namespace mlf::test
