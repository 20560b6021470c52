#include "report/kernel_text.h"

#include <gtest/gtest.h>

namespace mlf::report {
namespace {

TEST(CodeLines, AreTakenWithTheirBreaks) {
  EXPECT_EQ(LineTable("a\nb\nc\n").lines_of({{}, 2, 3}), "b\nc\n");
  EXPECT_EQ(LineTable("a\nb").lines_of({{}, 2, 2}), "b");
  EXPECT_EQ(LineTable("a\nb").lines_of({{}, 3, 9}), "");
  EXPECT_EQ(LineTable("").lines_of({{}, 1, 1}), "");
}

}  // namespace
}  // namespace mlf::report
