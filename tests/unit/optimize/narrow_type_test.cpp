// The smallest type that holds every element of a constant.
#include "optimize/narrow_type.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace mlf::optimize {
namespace {

using tir::DType;

template <class T>
std::vector<std::byte> bytes_of(const std::vector<T>& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

template <class T>
std::string narrowest(DType dtype, const std::vector<T>& values) {
  const auto found = narrowest_type(dtype, bytes_of(values));
  return found ? to_string(*found) : "";
}

TEST(NarrowestType, HoldsTheSmallestAndTheLargestElement) {
  EXPECT_EQ(narrowest<std::int16_t>(DType::Int(16), {-128, 0, 127}), "int8");
  EXPECT_EQ(narrowest<std::int16_t>(DType::Int(16), {0, 128}), "uint8");
  EXPECT_EQ(narrowest<std::int16_t>(DType::Int(16), {0, 255}), "uint8");
  EXPECT_EQ(narrowest<std::int16_t>(DType::Int(16), {-1, 128}), "");
  EXPECT_EQ(narrowest<std::int16_t>(DType::Int(16), {-129}), "");
  EXPECT_EQ(narrowest<std::int32_t>(DType::Int(32), {-129}), "int16");
  EXPECT_EQ(narrowest<std::int32_t>(DType::Int(32), {40000}), "uint16");
  EXPECT_EQ(narrowest<std::int64_t>(DType::Int(64), {INT32_MIN, INT32_MAX}), "int32");
  EXPECT_EQ(narrowest<std::int64_t>(DType::Int(64), {0, UINT32_MAX}), "uint32");
  EXPECT_EQ(narrowest<std::int64_t>(DType::Int(64), {INT64_MIN}), "");
  EXPECT_EQ(narrowest<std::uint64_t>(DType::UInt(64), {UINT64_MAX}), "");
  EXPECT_EQ(narrowest<std::uint64_t>(DType::UInt(64), {127}), "int8");
}

TEST(NarrowestType, IsNothingForBytesAndForTypesThatAreNoIntegers) {
  EXPECT_EQ(narrowest<std::int8_t>(DType::Int(8), {0}), "");
  EXPECT_EQ(narrowest<std::uint8_t>(DType::Bool(), {1}), "");
  EXPECT_EQ(narrowest<float>(DType::Float(32), {0, 1}), "");
  EXPECT_EQ(narrowest<std::uint16_t>(DType::Float(16), {0}), "");
  EXPECT_EQ(narrowest<std::int32_t>(DType::Int(16).with_lanes(2), {0}), "");
}

TEST(NarrowestType, TakesFloat64OnlyWhereEveryBitComesBack) {
  EXPECT_EQ(narrowest<double>(DType::Float(64), {0.5, -0.0, 1024, INFINITY}), "float32");
  EXPECT_EQ(narrowest<double>(DType::Float(64), {0.1}), "");
  EXPECT_EQ(narrowest<double>(DType::Float(64), {1e39}), "");
  EXPECT_EQ(narrowest<double>(DType::Float(64), {std::numeric_limits<double>::denorm_min()}), "");
  EXPECT_EQ(narrowest<double>(DType::Float(64), {std::nan("")}), "");
}

TEST(Converted, KeepsEveryElement) {
  const std::vector<std::int16_t> wide{-128, 5, 127};
  EXPECT_EQ(converted(DType::Int(16), bytes_of(wide), DType::Int(8)),
            bytes_of(std::vector<std::int8_t>{-128, 5, 127}));
  EXPECT_EQ(converted(DType::Float(64), bytes_of(std::vector<double>{0.5}), DType::Float(32)),
            bytes_of(std::vector<float>{0.5F}));
}

}  // namespace
}  // namespace mlf::optimize
