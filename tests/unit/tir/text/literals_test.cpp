#include "tir/text/literals.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace mlf::tir::text {
namespace {

TEST(Literals, DecodeTheEscapesThatTvmWrites) {
  EXPECT_EQ(decode_string(R"("a\n\t\r\"\\\x41\x0a")"), "a\n\t\r\"\\A\n");
  EXPECT_EQ(decode_string(R"('it\'s')"), "it's");
  EXPECT_EQ(decode_string("\"\"\"two\nlines\"\"\""), "two\nlines");
  EXPECT_EQ(decode_string(R"("\q\x4")"), R"(\q\x4)");
  EXPECT_EQ(decode_string("\"\""), "");
  EXPECT_EQ(plain_string("\"plain\""), "plain");
  EXPECT_FALSE(plain_string(R"("a\"b")"));
}

TEST(Literals, HoldIntegersOf64BitsSignedAndUnsigned) {
  EXPECT_EQ(parse_integer("9223372036854775807"), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(parse_integer("-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(parse_integer("18446744073709551615"), -1);
  EXPECT_FALSE(parse_integer("18446744073709551616"));
  EXPECT_FALSE(parse_integer("1x"));
  EXPECT_FALSE(parse_integer(""));
}

TEST(Literals, HoldRealsToTheLastBit) {
  EXPECT_EQ(parse_real("0.10000000149011612"), static_cast<double>(0.1f));
  EXPECT_EQ(parse_real("340282346638528859811704183484516925440.0"),
            static_cast<double>(std::numeric_limits<float>::max()));
  EXPECT_EQ(parse_real("-inf"), -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::signbit(*parse_real("-nan")));
  EXPECT_TRUE(std::signbit(*parse_real("-0.0")));
  EXPECT_EQ(parse_real("1e999"), std::numeric_limits<double>::infinity());
  EXPECT_EQ(parse_real("-1e-999"), 0.0);
  EXPECT_FALSE(parse_real("abc"));
  EXPECT_FALSE(parse_real(""));
}

}  // namespace
}  // namespace mlf::tir::text
