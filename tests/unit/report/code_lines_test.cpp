#include "report/kernel_text.h"

#include <gtest/gtest.h>

namespace mlf::report {
namespace {

TEST(CodeLines, AreTakenWithTheirBreaks) {
  EXPECT_EQ(lines_of("a\nb\nc\n", {{}, 2, 3}), "b\nc\n");
  EXPECT_EQ(lines_of("a\nb", {{}, 2, 2}), "b");
  EXPECT_EQ(lines_of("a\nb", {{}, 3, 9}), "");
  EXPECT_EQ(lines_of("", {{}, 1, 1}), "");
}

}  // namespace
}  // namespace mlf::report
