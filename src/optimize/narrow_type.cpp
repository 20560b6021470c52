#include "optimize/narrow_type.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <utility>

#include "tir/elements.h"

namespace mlf::optimize {
namespace {

using tir::DType;
using tir::element;
using tir::with_integer;

/// The range of the elements. No integer type of up to 64 bits contains both ends of a wider range.
struct Span {
  std::int64_t low = 0;    ///< 0 where no element is below
  std::uint64_t high = 0;  ///< 0 where no element is above
};

/// nullopt for types other than integers of whole bytes.
std::optional<Span> span_of(DType dtype, std::span<const std::byte> data) {
  Span span;
  const bool is_integer = with_integer(dtype, [&]<class T>(T) {
    for (std::size_t i = 0; i < data.size() / sizeof(T); ++i) {
      const T value = element<T>(data, i);
      if (std::in_range<std::int64_t>(value)) {
        span.low = std::min(span.low, static_cast<std::int64_t>(value));
      }
      if (value > 0) span.high = std::max(span.high, static_cast<std::uint64_t>(value));
    }
  });
  return is_integer ? std::optional(span) : std::nullopt;
}

bool holds(DType dtype, const Span& span) {
  bool fits = false;
  with_integer(
      dtype, [&]<class T>(T) { fits = std::in_range<T>(span.low) && std::in_range<T>(span.high); });
  return fits;
}

/// Signed types come before unsigned ones of the same size: TVM uses them for quantized tensors.
constexpr std::array kIntegers{DType::Int(8),   DType::UInt(8), DType::Int(16),
                               DType::UInt(16), DType::Int(32), DType::UInt(32)};

std::optional<DType> narrowest_integer(DType dtype, std::span<const std::byte> data) {
  const std::optional<Span> span = span_of(dtype, data);
  if (!span) return std::nullopt;
  for (const DType candidate : kIntegers) {
    if (candidate.bits >= dtype.bits) return std::nullopt;
    if (holds(candidate, *span)) return candidate;
  }
  return std::nullopt;
}

/// A conversion of a NaN to float32 and back may change its bits, so a constant with a NaN stays
/// unchanged.
bool holds_as_float32(std::span<const std::byte> data) {
  for (std::size_t i = 0; i < data.size() / sizeof(double); ++i) {
    const auto value = element<double>(data, i);
    const bool is_in_range = std::abs(value) <= double{std::numeric_limits<float>::max()} ||
                             std::abs(value) == std::numeric_limits<double>::infinity();
    if (!is_in_range) return false;
    const double back{static_cast<float>(value)};
    if (std::bit_cast<std::uint64_t>(back) != std::bit_cast<std::uint64_t>(value)) return false;
  }
  return true;
}

template <class From, class To>
std::vector<std::byte> converted_as(std::span<const std::byte> data) {
  std::vector<std::byte> result(data.size() / sizeof(From) * sizeof(To));
  for (std::size_t i = 0; i < data.size() / sizeof(From); ++i) {
    const To value = static_cast<To>(element<From>(data, i));
    std::memcpy(result.data() + i * sizeof(To), &value, sizeof(To));
  }
  return result;
}

}  // namespace

std::optional<DType> narrowest_type(DType dtype, std::span<const std::byte> data) {
  if (dtype == DType::Float(64)) {
    return holds_as_float32(data) ? std::optional(DType::Float(32)) : std::nullopt;
  }
  return narrowest_integer(dtype, data);
}

std::vector<std::byte> converted(DType from, std::span<const std::byte> data, DType to) {
  if (from == to) return {data.begin(), data.end()};
  if (from == DType::Float(64)) return converted_as<double, float>(data);
  std::vector<std::byte> result;
  with_integer(from, [&]<class From>(From) {
    with_integer(to, [&]<class To>(To) { result = converted_as<From, To>(data); });
  });
  return result;
}

}  // namespace mlf::optimize
