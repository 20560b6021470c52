#include "tir/text/lexer.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>

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

// Short decimals have a way of their own; it ends where the value could not be exact.
TEST(Literals, RoundShortDecimalsAsTheStandardLibrary) {
  const auto expect_as_standard = [](const std::string& text) {
    double expected = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), expected);
    const bool is_whole = parsed.ec == std::errc() && parsed.ptr == text.data() + text.size();
    const auto value = parse_real(text);
    ASSERT_EQ(value.has_value(), is_whole) << text;
    if (!is_whole) return;
    EXPECT_EQ(std::bit_cast<std::uint64_t>(*value), std::bit_cast<std::uint64_t>(expected)) << text;
  };
  std::mt19937 random(1);
  for (int i = 0; i < 20'000; ++i) {
    std::string text = random() % 2 == 0 ? "-" : "";
    for (auto n = 1 + random() % 12; n > 0; --n) text += static_cast<char>('0' + random() % 10);
    if (random() % 4 != 0) text += '.';
    for (auto n = random() % 9; n > 0; --n) text += static_cast<char>('0' + random() % 10);
    constexpr std::array kSigns = {"e", "e+", "e-", "", "", "E", "e+-"};
    const std::string_view sign = kSigns[random() % kSigns.size()];
    text += sign;
    if (!sign.empty()) text += std::to_string(random() % 40);
    expect_as_standard(text);
  }
  for (const char* text :
       {"-0.0", "999999999999999e22", "1e-22", "1e23", "1.", ".5", "-", "1e", "+1"}) {
    expect_as_standard(text);
  }
}

}  // namespace
}  // namespace mlf::tir::text
