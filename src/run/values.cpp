#include "run/values.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>

#include "mlf/run.h"
#include "support/mixed_bits.h"

namespace mlf {

namespace run {
namespace {

/// The sign bit of signed integers.
std::uint64_t sign_bit(tir::DType dtype) {
  return dtype.is_int() ? std::uint64_t{1} << (dtype.bits - 1) : 0;
}

/// Of what `ordered_bits` returns for signed integers.
std::int64_t signed_value(std::uint64_t ordered, tir::DType dtype) {
  return static_cast<std::int64_t>(ordered - sign_bit(dtype));
}

std::string integer_text(std::uint64_t ordered, tir::DType dtype) {
  if (!dtype.is_int()) return std::to_string(ordered);
  return std::to_string(signed_value(ordered, dtype));
}

/// An IEEE format or bfloat16.
struct FloatFormat {
  explicit FloatFormat(tir::DType dtype)
      : exponent_bits(dtype.code == tir::TypeCode::BFloat || dtype.bits == 32 ? 8
                      : dtype.bits == 16                                      ? 5
                                                                              : 11),
        fraction_bits(dtype.bits - exponent_bits - 1),
        bias((1 << (exponent_bits - 1)) - 1) {}

  int exponent_bits;
  int fraction_bits;
  int bias;
};

std::string float_text(double value, tir::DType dtype) {
  return dtype.bits > 32 ? fmt::format("{}", value) : fmt::format("{}", static_cast<float>(value));
}

}  // namespace

std::size_t elements_of(const Tensor& tensor) {
  return tensor.bytes.size() / std::max<std::size_t>(tensor.dtype.element_bytes(), 1);
}

std::uint64_t element_bits(const Tensor& tensor, std::size_t element) {
  const std::size_t size = tensor.dtype.element_bytes();
  std::uint64_t bits = 0;
  for (std::size_t i = std::min<std::size_t>(size, sizeof bits); i-- > 0;) {
    bits = bits << 8 | static_cast<unsigned char>(tensor.bytes[element * size + i]);
  }
  return bits;
}

double float_value(std::uint64_t bits, tir::DType dtype) {
  const auto [exponent_bits, fraction_bits, bias] = FloatFormat(dtype);
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << fraction_bits) - 1);
  const auto exponent = static_cast<int>(bits >> fraction_bits & ((1U << exponent_bits) - 1));
  const bool is_negative = (bits >> (fraction_bits + exponent_bits) & 1) != 0;
  double value = 0;
  if (exponent == (1 << exponent_bits) - 1) {
    value = fraction == 0 ? std::numeric_limits<double>::infinity()
                          : std::numeric_limits<double>::quiet_NaN();
  } else {
    const int lowest = std::max(exponent, 1) - bias - fraction_bits;
    const std::uint64_t hidden = exponent == 0 ? 0 : std::uint64_t{1} << fraction_bits;
    value = std::ldexp(static_cast<double>(fraction | hidden), lowest);
  }
  return is_negative ? -value : value;
}

std::uint64_t ordered_bits(std::uint64_t bits, tir::DType dtype) {
  return bits ^ sign_bit(dtype);
}

double number_of(const Tensor& tensor, std::size_t element) {
  const tir::DType dtype = tensor.dtype;
  const std::uint64_t bits = element_bits(tensor, element);
  if (dtype.is_float()) return float_value(bits, dtype);
  if (!dtype.is_int()) return static_cast<double>(bits);
  return static_cast<double>(signed_value(ordered_bits(bits, dtype), dtype));
}

}  // namespace run

TensorRange range_of(const Tensor& tensor) {
  const tir::DType dtype = tensor.dtype;
  const std::size_t elements = run::elements_of(tensor);
  std::optional<std::pair<std::uint64_t, std::uint64_t>> integers;
  std::optional<std::pair<double, double>> floats;
  const auto add = [](auto& range, auto value) {
    if (!range) range = {value, value};
    range = {std::min(range->first, value), std::max(range->second, value)};
  };
  for (std::size_t i = 0; i < elements; ++i) {
    const std::uint64_t bits = run::element_bits(tensor, i);
    if (!dtype.is_float()) {
      add(integers, run::ordered_bits(bits, dtype));
    } else if (const double value = run::float_value(bits, dtype); !std::isnan(value)) {
      add(floats, value);
    }
  }
  if (integers) {
    return {run::integer_text(integers->first, dtype), run::integer_text(integers->second, dtype)};
  }
  if (floats)
    return {run::float_text(floats->first, dtype), run::float_text(floats->second, dtype)};
  return {};
}

namespace run {
namespace {

/// The bits of `step` / 2^fraction_bits, which is less than 1 or -1.
std::uint64_t float_bits(std::int64_t step, const FloatFormat& format) {
  const auto [exponent_bits, fraction_bits, bias] = format;
  const std::uint64_t sign = step < 0 ? std::uint64_t{1} << (exponent_bits + fraction_bits) : 0;
  const auto size = static_cast<std::uint64_t>(step < 0 ? -step : step);
  if (size == 0) return 0;
  const int digits = static_cast<int>(std::bit_width(size)) - 1;
  const std::uint64_t fraction = size << (fraction_bits - digits);
  const auto exponent = static_cast<std::uint64_t>(digits - fraction_bits + bias);
  return sign | exponent << fraction_bits | (fraction & ((std::uint64_t{1} << fraction_bits) - 1));
}

/// A number of one type from 64 random bits.
std::uint64_t number_from(std::uint64_t random, tir::DType dtype) {
  if (dtype.is_bool()) return random >> 63;
  const bool has_format = dtype.bits == 16 || dtype.bits == 32 || dtype.bits == 64;
  if (!dtype.is_float() || !has_format) return random;
  // One bit more than the fraction, for the sign: from -2^fraction_bits up to 2^fraction_bits.
  const FloatFormat format(dtype);
  return float_bits(static_cast<std::int64_t>(random) >> (63 - format.fraction_bits), format);
}

}  // namespace
}  // namespace run

std::string random_bytes(tir::DType dtype, std::uint64_t elements, std::uint64_t seed,
                         std::uint64_t stream) {
  // SplitMix64: each number depends only on its position.
  std::uint64_t state = support::mixed_bits(seed) + support::mixed_bits(~stream);
  // Little-endian; a wider element takes several numbers.
  const std::size_t size = dtype.element_bytes() * static_cast<std::size_t>(dtype.lanes);
  std::string bytes;
  bytes.reserve(elements * size);
  for (std::uint64_t i = 0; i < elements; ++i) {
    std::uint64_t value = 0;
    for (std::size_t byte = 0; byte < size; ++byte) {
      if (byte % sizeof value == 0) {
        value = run::number_from(support::mixed_bits(state += support::kGoldenRatio), dtype);
      }
      bytes += static_cast<char>(value >> (8 * (byte % sizeof value)) & 0xff);
    }
  }
  return bytes;
}

}  // namespace mlf
