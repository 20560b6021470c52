#include <bit>

#include "mlf/run.h"
#include "support/mixed_bits.h"

namespace mlf {
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
