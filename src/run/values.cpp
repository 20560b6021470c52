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
  const bool is_brain = dtype.code == tir::TypeCode::BFloat;
  const int exponent_bits = is_brain || dtype.bits == 32 ? 8 : dtype.bits == 16 ? 5 : 11;
  const int fraction_bits = dtype.bits - exponent_bits - 1;
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << fraction_bits) - 1);
  const auto exponent = static_cast<int>(bits >> fraction_bits & ((1U << exponent_bits) - 1));
  const bool is_negative = (bits >> (fraction_bits + exponent_bits) & 1) != 0;
  const int bias = (1 << (exponent_bits - 1)) - 1;
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

/// SplitMix64: each number depends only on its position.
class Numbers {
 public:
  explicit Numbers(std::uint64_t state) : state_(state) {}

  std::uint64_t next() { return support::mixed_bits(state_ += support::kGoldenRatio); }

 private:
  std::uint64_t state_;
};

/// A binary floating-point type: bits of the exponent and bits of the fraction.
struct FloatFormat {
  int exponent;
  int fraction;
};

/// The bits of `step` / 2^fraction, which is less than 1 or -1.
std::uint64_t float_bits(std::int64_t step, FloatFormat format) {
  const std::uint64_t sign = step < 0 ? std::uint64_t{1} << (format.exponent + format.fraction) : 0;
  const auto size = static_cast<std::uint64_t>(step < 0 ? -step : step);
  if (size == 0) return 0;
  const int digits = static_cast<int>(std::bit_width(size)) - 1;
  const std::uint64_t fraction = size << (format.fraction - digits);
  const int bias = (1 << (format.exponent - 1)) - 1;
  const auto exponent = static_cast<std::uint64_t>(digits - format.fraction + bias);
  return sign | exponent << format.fraction |
         (fraction & ((std::uint64_t{1} << format.fraction) - 1));
}

/// The numbers of one type from 64 random bits.
class Values {
 public:
  explicit Values(tir::DType dtype) : is_bool_(dtype.is_bool()) {
    if (dtype.code == tir::TypeCode::BFloat) format_ = {8, 7};
    if (dtype.code != tir::TypeCode::Float) return;
    if (dtype.bits == 16) format_ = {5, 10};
    if (dtype.bits == 32) format_ = {8, 23};
    if (dtype.bits == 64) format_ = {11, 52};
  }

  std::uint64_t of(std::uint64_t random) const {
    if (is_bool_) return random >> 63;
    if (format_.fraction == 0) return random;
    // One bit more than the fraction, for the sign: from -2^fraction up to 2^fraction.
    const auto step = static_cast<std::int64_t>(random) >> (63 - format_.fraction);
    return float_bits(step, format_);
  }

 private:
  bool is_bool_;
  FloatFormat format_{0, 0};
};

}  // namespace
}  // namespace run

std::string random_bytes(tir::DType dtype, std::uint64_t elements, std::uint64_t seed,
                         std::uint64_t stream) {
  run::Numbers numbers(support::mixed_bits(seed) + support::mixed_bits(~stream));
  const run::Values values(dtype);
  // Little-endian; a wider element takes several numbers.
  const std::size_t size = dtype.element_bytes() * static_cast<std::size_t>(dtype.lanes);
  std::string bytes;
  bytes.reserve(elements * size);
  for (std::uint64_t i = 0; i < elements; ++i) {
    std::uint64_t value = 0;
    for (std::size_t byte = 0; byte < size; ++byte) {
      if (byte % sizeof value == 0) value = values.of(numbers.next());
      bytes += static_cast<char>(value >> (8 * (byte % sizeof value)) & 0xff);
    }
  }
  return bytes;
}

}  // namespace mlf
