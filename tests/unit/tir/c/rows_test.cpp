// The bytes of constants from the rows of their arrays.
#include "tir/c/rows.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "support/error.h"

namespace mlf::tir::c {
namespace {

template <class Number>
std::vector<Number> decode(std::string_view text, DType element, std::size_t count) {
  const support::SourceText source{"lib.c", {}, text};
  const auto bytes =
      decode_rows(source, {0, static_cast<std::uint32_t>(text.size())}, element, count);
  std::vector<Number> numbers(count);
  std::memcpy(numbers.data(), bytes.data(), bytes.size());
  return numbers;
}

TEST(CRows, IntegersOfEveryWidth) {
  EXPECT_EQ(decode<std::int8_t>("+0x0a, -0x80", DType::Int(8), 2),
            (std::vector<std::int8_t>{10, -128}));
  EXPECT_EQ(decode<std::int16_t>("-0x0001, +0x7fff", DType::Int(16), 2),
            (std::vector<std::int16_t>{-1, 32767}));
  EXPECT_EQ(decode<std::int32_t>("+0x7fffffff", DType::Int(32), 1),
            (std::vector<std::int32_t>{2147483647}));
  EXPECT_EQ(decode<std::int64_t>("-0x8000000000000000LL", DType::Int(64), 1),
            (std::vector<std::int64_t>{INT64_MIN}));
  EXPECT_EQ(decode<std::uint8_t>("0xff", DType::UInt(8), 1), (std::vector<std::uint8_t>{255}));
  EXPECT_EQ(decode<std::uint64_t>("0xffffffffffffffffULL", DType::UInt(64), 1),
            (std::vector<std::uint64_t>{UINT64_MAX}));
  EXPECT_EQ(decode<std::int32_t>("12, -7", DType::Int(32), 2), (std::vector<std::int32_t>{12, -7}));
}

TEST(CRows, FloatsAreExact) {
  EXPECT_EQ(decode<float>("0x1.8p+1 , -0x1.6f76f4p-3", DType::Float(32), 2),
            (std::vector<float>{3.0f, -0x1.6f76f4p-3f}));
  EXPECT_EQ(decode<double>("0x1.fffffffffffffp+1023", DType::Float(64), 1),
            (std::vector<double>{0x1.fffffffffffffp+1023}));
  EXPECT_EQ(decode<float>("0x1p-149, 0x0p+0", DType::Float(32), 2),
            (std::vector<float>{0x1p-149f, 0.0f}));
  EXPECT_EQ(decode<double>("0x0.0000000000001p-1022", DType::Float(64), 1),
            (std::vector<double>{0x0.0000000000001p-1022}));
  EXPECT_TRUE(std::signbit(decode<float>("-0x0p+0", DType::Float(32), 1)[0]));
}

TEST(CRows, InfinityAndNaNAreWords) {
  const auto floats = decode<float>(" INFINITY, -INFINITY, NAN", DType::Float(32), 3);
  EXPECT_EQ(floats[0], INFINITY);
  EXPECT_EQ(floats[1], -INFINITY);
  EXPECT_TRUE(std::isnan(floats[2]));
}

TEST(CRows, HalvesAreBitPatterns) {
  EXPECT_EQ(decode<std::uint16_t>("0x3c00, 0x0   ", DType::Float(16), 2),
            (std::vector<std::uint16_t>{0x3c00, 0}));
}

TEST(CRows, EverythingPrintedWithPercentAComesBack) {
  for (std::uint32_t i = 0; i < 20'000; ++i) {
    const auto value = std::bit_cast<float>(i * 214'013u + 2'531'011u);
    if (!std::isfinite(value)) continue;
    char text[64];
    std::snprintf(text, sizeof text, "%a", static_cast<double>(value));
    EXPECT_EQ(decode<float>(text, DType::Float(32), 1)[0], value) << text;
  }
}

}  // namespace
}  // namespace mlf::tir::c
