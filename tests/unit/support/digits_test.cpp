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

TEST(Digits, OfPlacesAndIdentifiersStay) {
  for (const char* text : {"manual (DDI 0439)", "mlp-1024-graph", "1024-bit", "lib0.c:1200-1300",
                           "lines 1200 to 1300", "line 1234", "call 1234, conv: 10"}) {
    EXPECT_EQ(group_digits(text), text);
  }
  EXPECT_EQ(group_digits("-1024 to 2048"), "-1,024 to 2,048");
  EXPECT_EQ(group_digits("-2048..-1024"), "-2,048..-1,024");
}

}  // namespace
}  // namespace mlf
