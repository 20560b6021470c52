#include "support/digits.h"

#include <gtest/gtest.h>

namespace mlf {
namespace {

TEST(Digits, OfNumbersAreInGroups) {
  EXPECT_EQ(group_digits("208576"), "208,576");
  EXPECT_EQ(group_digits("RAM    pools 104192   I/O 502"), "RAM    pools 104,192   I/O 502");
  EXPECT_EQ(group_digits(">=1000"), ">=1,000");
  EXPECT_EQ(group_digits("1000..1234567"), "1,000..1,234,567");
  EXPECT_EQ(group_digits(""), "");
}

TEST(Digits, OfNamesAndFractionsStay) {
  for (const char* text : {"x86_64000", "conv_2000", "v1234", "1234.5", "lib0.c:1200-1300"}) {
    EXPECT_EQ(group_digits(text).substr(0, 9), std::string(text).substr(0, 9)) << text;
  }
}

}  // namespace
}  // namespace mlf
