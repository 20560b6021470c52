// The bytes of constants from the rows of their arrays.
#include "tir/c/read/constants.h"

#include <gtest/gtest.h>

#include <fmt/core.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <optional>
#include <random>
#include <sstream>

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

TEST(CRows, IntegersOfEveryWidthAreRead) {
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

TEST(CRows, EverythingPrintedWithPercentAIsReadExactly) {
  for (std::uint32_t i = 0; i < 20'000; ++i) {
    const auto value = std::bit_cast<float>(i * 214'013u + 2'531'011u);
    if (!std::isfinite(value)) continue;
    char text[64];
    std::snprintf(text, sizeof text, "%a", static_cast<double>(value));
    EXPECT_EQ(decode<float>(text, DType::Float(32), 1)[0], value) << text;
  }
}

/// What decoding is refused for; empty where it is not.
template <class Number>
std::string refusal(std::string_view text, DType element, std::size_t count) {
  try {
    decode<Number>(text, element, count);
    return {};
  } catch (const support::Error& error) {
    const Diagnostic& reason = error.diagnostic();
    return fmt::format("{}:{}: {}", reason.where.line, reason.where.column, reason.message);
  }
}

TEST(CRows, NumbersBeyondTheTypeAreErrors) {
  EXPECT_EQ(refusal<std::int8_t>("+0x01, +0x80", DType::Int(8), 2),
            "1:8: the element is out of the range of int8");
  EXPECT_NE(refusal<std::int8_t>("-0x81", DType::Int(8), 1), "");
  EXPECT_NE(refusal<std::uint8_t>("-0x01", DType::UInt(8), 1), "");
  EXPECT_NE(refusal<std::int64_t>("0x8000000000000000LL", DType::Int(64), 1), "");
  EXPECT_NE(refusal<std::uint64_t>("-0x1ULL", DType::UInt(64), 1), "");
  EXPECT_NE(refusal<std::uint64_t>("0x10000000000000000", DType::UInt(64), 1), "");
  EXPECT_NE(refusal<float>("0x1p+128", DType::Float(32), 1), "");
  EXPECT_NE(refusal<double>("0x1p+1024", DType::Float(64), 1), "");
}

TEST(CRows, EveryElementHasItsCommaAndNothingElse) {
  EXPECT_EQ(refusal<std::int8_t>("+0x01 +0x02", DType::Int(8), 2),
            "1:7: expected ',' after an element of the array");
  EXPECT_EQ(refusal<std::int8_t>("+0x01,\n, +0x02", DType::Int(8), 2),
            "2:1: expected an element of the array");
  EXPECT_EQ(refusal<std::int8_t>("+0x01, ", DType::Int(8), 2),
            "1:8: the array ends after 1 of its 2 elements");
  EXPECT_EQ(refusal<std::int8_t>("+0x01, +0x02", DType::Int(8), 1),
            "1:8: expected '}' after the 1 elements of the array");
  EXPECT_EQ(decode<std::int8_t>("+0x01, +0x02,\n", DType::Int(8), 2),
            (std::vector<std::int8_t>{1, 2}));
  for (const char* wrong : {"010", "+-1", "0x", "1LUL", "1 L", "0x1g", "1.5", "INFINITY", "+"}) {
    EXPECT_NE(refusal<std::int32_t>(wrong, DType::Int(32), 1), "") << wrong;
  }
  for (const char* wrong : {"0x1.8p", "--0x1p+0", "- 1", "INF", "0x1p+0x", "0x.p+1", "1e", "nan"}) {
    EXPECT_NE(refusal<float>(wrong, DType::Float(32), 1), "") << wrong;
  }
}

TEST(CRows, DecimalFloatsAreRoundedAsCDoes) {
  EXPECT_EQ(decode<float>("1.5, -2e-3f, 16777217.0, 7", DType::Float(32), 4),
            (std::vector<float>{1.5f, -2e-3f, 16777216.0f, 7.0f}));
  EXPECT_EQ(decode<float>("0x1.000001p+0, 0X1.8P1", DType::Float(32), 2),
            (std::vector<float>{1.0f, 3.0f}));
}

/// An element as TVM prints it.
template <class Number>
std::string printed(Number value) {
  if constexpr (std::is_floating_point_v<Number>) {
    if (std::isinf(value)) return value < 0 ? "-INFINITY" : " INFINITY";
    char text[40];
    std::snprintf(text, sizeof text, "%a", static_cast<double>(value));
    return fmt::format("{:<{}}", text, 2 * sizeof value + 1);
  } else {
    const bool is_negative = value < 0;
    const auto wide = static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
    return fmt::format("{}0x{:0{}x}{}{}", std::is_signed_v<Number> ? (is_negative ? "-" : "+") : "",
                       is_negative ? 0 - wide : wide, 2 * sizeof value,
                       sizeof value == 8 && !std::is_signed_v<Number> ? "U" : "",
                       sizeof value == 8 ? "LL" : "");
  }
}

/// Values of all magnitudes, and what lies at the ends of the type.
template <class Number>
std::vector<Number> samples(std::size_t count) {
  using Limits = std::numeric_limits<Number>;
  std::mt19937_64 random(count);
  std::vector<Number> numbers = {0, 1, Limits::max(), Limits::lowest(), Limits::min()};
  while (numbers.size() < count) {
    std::uint64_t bits = random();
    if constexpr (std::is_floating_point_v<Number>) {
      const int exponent = static_cast<int>(random() % 60) - 40;
      const auto wide = std::ldexp(static_cast<double>(static_cast<std::int32_t>(bits)), exponent);
      numbers.push_back(static_cast<Number>(wide));
    } else {
      bits >>= random() % 64;
      numbers.push_back(static_cast<Number>(bits));
    }
  }
  return numbers;
}

/// Rows as TVM fills them.
template <class Number>
std::string rows_of(const std::vector<Number>& numbers) {
  constexpr std::size_t kRow = std::bit_floor(80 / (2 * sizeof(Number) + 2));
  std::string text;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i % kRow == 0) text += "\n    ";
    text += printed(numbers[i]) + (i + 1 < numbers.size() ? ", " : "\n");
  }
  return text;
}

template <class Number>
class CPrintedRows : public testing::Test {
 protected:
  static DType element() {
    const int bits = 8 * sizeof(Number);
    if (std::is_floating_point_v<Number>) return DType::Float(bits);
    return std::is_signed_v<Number> ? DType::Int(bits) : DType::UInt(bits);
  }
};
using Numbers = testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                               std::uint32_t, std::int64_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(CPrintedRows, Numbers);

TYPED_TEST(CPrintedRows, GiveBackEveryElement) {
  for (const std::size_t count : {5u, 16u, 17u, 1000u}) {
    const auto numbers = samples<TypeParam>(count);
    EXPECT_EQ(decode<TypeParam>(rows_of(numbers), this->element(), count), numbers);
  }
}

/// What C makes of the rows, by strtol and its kin; nothing where an element is no literal of it.
template <class Number>
std::optional<std::vector<Number>> by_the_library(std::string text) {
  std::vector<Number> numbers;
  std::istringstream elements(text);
  for (std::string one; std::getline(elements, one, ',');) {
    const std::size_t first = one.find_first_not_of(" \n");
    if (first == one.npos && elements.eof()) break;  // the last comma
    if (first == one.npos) return std::nullopt;
    one = one.substr(first, one.find_last_not_of(" \n") + 1 - first);
    char* end = nullptr;
    if constexpr (std::is_same_v<Number, float>) {
      numbers.push_back(std::strtof(one.c_str(), &end));
    } else if constexpr (std::is_same_v<Number, double>) {
      numbers.push_back(std::strtod(one.c_str(), &end));
    } else {
      const bool is_negative = one[0] == '-';
      const std::uint64_t value = std::strtoull(one.c_str() + (is_negative ? 1 : 0), &end, 0);
      numbers.push_back(static_cast<Number>(is_negative ? 0 - value : value));
    }
    if (end == one.c_str()) return std::nullopt;
  }
  return numbers;
}

TYPED_TEST(CPrintedRows, WithAChangedByteAreWhatCMakesOfThemOrAnError) {
  constexpr std::string_view kBytes = "+-.0179afgxpULAXP, \n#\x80\xff";
  const auto numbers = samples<TypeParam>(24);
  const std::string whole = rows_of(numbers);
  std::size_t read = 0;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    for (const char byte : kBytes) {
      std::string text = whole;
      text[i] = byte;
      if (!refusal<TypeParam>(text, this->element(), numbers.size()).empty()) continue;
      const auto expected = by_the_library<TypeParam>(text);
      ASSERT_TRUE(expected) << text;
      EXPECT_EQ(decode<TypeParam>(text, this->element(), numbers.size()), *expected) << text;
      ++read;
    }
  }
  EXPECT_GT(read, whole.size());
}

}  // namespace
}  // namespace mlf::tir::c
