#include "page/kernel_code.h"

#include <gtest/gtest.h>

namespace mlf::page {
namespace {

TEST(PageCode, LinesAreTakenWithTheirBreaks) {
  EXPECT_EQ(report::lines_of("a\nb\nc\n", {{}, 2, 3}), "b\nc\n");
  EXPECT_EQ(report::lines_of("a\nb", {{}, 2, 2}), "b");
  EXPECT_EQ(report::lines_of("a\nb", {{}, 3, 9}), "");
  EXPECT_EQ(report::lines_of("", {{}, 1, 1}), "");
}

}  // namespace
}  // namespace mlf::page
