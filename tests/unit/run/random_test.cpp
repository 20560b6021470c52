#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "mlf/run.h"
#include "run/values.h"

namespace mlf {
namespace {

Tensor random_tensor(tir::DType dtype, std::uint64_t elements, std::uint64_t seed = 1) {
  return {.dtype = dtype,
          .shape = {static_cast<std::int64_t>(elements)},
          .bytes = random_bytes(dtype, elements, seed, 0)};
}

TEST(RandomValues, AreTheSameForTheSameSeed) {
  const tir::DType dtype = tir::DType::Int(32);
  EXPECT_EQ(random_bytes(dtype, 9, 1, 0), random_bytes(dtype, 10, 1, 0).substr(0, 36));
  EXPECT_NE(random_bytes(dtype, 9, 1, 0), random_bytes(dtype, 9, 2, 0));
  EXPECT_NE(random_bytes(dtype, 9, 1, 0), random_bytes(dtype, 9, 1, 1));
  // They never change: users keep results of them.
  std::int32_t first = 0;
  std::memcpy(&first, random_bytes(dtype, 1, 1, 0).data(), sizeof first);
  EXPECT_EQ(first, -1296157386);
}

TEST(RandomValues, AreAllOfSmallTypes) {
  for (const tir::DType dtype : {tir::DType::Bool(), tir::DType::Int(8), tir::DType::UInt(8)}) {
    const std::string bytes = random_bytes(dtype, 10000, 1, 0);
    EXPECT_EQ(std::set<char>(bytes.begin(), bytes.end()).size(), dtype.is_bool() ? 2U : 256U);
  }
  const Tensor wide = random_tensor(tir::DType::Int(64), 1000);
  EXPECT_TRUE(range_of(wide).smallest.starts_with("-9"));
  EXPECT_TRUE(range_of(wide).largest.starts_with("9"));
}

TEST(RandomValues, AreBetweenMinusOneAndOneForFloatingPoint) {
  for (const tir::DType dtype : {tir::DType::Float(16), tir::DType::Float(32),
                                 tir::DType::Float(64), tir::DType{tir::TypeCode::BFloat, 16, 1}}) {
    const std::uint64_t count = 10000;
    const Tensor tensor = random_tensor(dtype, count);
    double least = 0;
    double most = 0;
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const double value = run::float_value(run::element_bits(tensor, i), dtype);
      least = std::min(least, value);
      most = std::max(most, value);
      sum += value;
    }
    EXPECT_GE(least, -1);
    EXPECT_LT(least, -0.98);
    EXPECT_LT(most, 1);
    EXPECT_GT(most, 0.98);
    EXPECT_NEAR(sum / static_cast<double>(count), 0, 0.03);
  }
}

TEST(FloatValues, AreThoseOfTheProcessor) {
  const Tensor tensor = random_tensor(tir::DType::UInt(32), 10000);
  for (std::size_t i = 0; i < 10000; ++i) {
    const std::uint64_t bits = run::element_bits(tensor, i);
    float expected = 0;
    std::memcpy(&expected, tensor.bytes.data() + 4 * i, sizeof expected);
    const double value = run::float_value(bits, tir::DType::Float(32));
    if (expected == expected) {
      EXPECT_EQ(value, static_cast<double>(expected));
    } else {
      EXPECT_NE(value, value);
    }
  }
}

}  // namespace
}  // namespace mlf
