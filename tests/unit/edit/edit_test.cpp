// Changes of a text.
#include "edit/edited_archive.h"

#include <gtest/gtest.h>

#include "support/error.h"

namespace mlf::edit {
namespace {

support::SourceText text_of(std::string_view text) {
  return {"archive.tar", "member", text};
}

std::string what_is_thrown(std::string_view text, tir::SourceRange range,
                           const NumberChange& change) {
  const auto result =
      support::to_result([&] { return number_edit(text_of(text), range, change, "the size"); });
  return result ? "nothing" : to_string(result.error());
}

TEST(Edits, AreMadeInAnyOrder) {
  EXPECT_EQ(apply("a[100] b[7]", {{{9, 10}, "1234"}, {{2, 5}, "5"}}), "a[5] b[1234]");
  EXPECT_EQ(apply("a[100]", {}), "a[100]");
}

TEST(Edits, OfOneRangeHaveToAgree) {
  EXPECT_EQ(apply("a[100]", {{{2, 5}, "5"}, {{2, 5}, "5"}}), "a[5]");
  EXPECT_THROW(apply("a[100]", {{{2, 5}, "5"}, {{2, 5}, "6"}}), support::Error);
}

TEST(Edits, DoNotOverlap) {
  EXPECT_THROW(apply("a[100]", {{{2, 5}, "5"}, {{3, 4}, "6"}}), support::Error);
}

TEST(NumberEdits, ExchangeTheDigitsAlone) {
  const Edit edit = number_edit(text_of("a[100u]"), {2, 6}, {100, 7}, "the size");
  EXPECT_EQ(edit.range, (tir::SourceRange{2, 5}));
  EXPECT_EQ(edit.text, "7");
}

TEST(NumberEdits, RefuseAnotherNumber) {
  for (const std::string_view number :
       {"101", "0x64", "1e2", "-100", "x", "99999999999999999999"}) {
    const std::string text = "a[" + std::string(number) + "]";
    const auto end = static_cast<std::uint32_t>(2 + number.size());
    const std::string said = what_is_thrown(text, {2, end}, {100, 7});
    EXPECT_NE(said.find("the size is not 100, its value in the plan"), std::string::npos) << said;
    EXPECT_NE(said.find("member:1:3"), std::string::npos) << said;
  }
}

}  // namespace
}  // namespace mlf::edit
