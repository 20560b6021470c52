// The elements of data of a dtype, as values of the C++ type that the dtype has in memory.
// Threads: functions have no shared state; any number of threads may call them at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

#include "mlf/tir/module.h"

namespace mlf::tir {

/// The product of the extents, times `unit`; nothing if one of them is negative, or if it takes
/// more than 64 bits.
inline std::optional<std::uint64_t> product_of(std::span<const std::int64_t> extents,
                                               std::uint64_t unit = 1) {
  for (const std::int64_t extent : extents) {
    const auto factor = static_cast<std::uint64_t>(extent);
    if (extent < 0 || __builtin_mul_overflow(unit, factor, &unit)) return std::nullopt;
  }
  return unit;
}

/// Element `i` of data whose elements are of type T. The data need not be aligned.
template <class T>
T element(std::span<const std::byte> data, std::size_t i) {
  T value{};
  std::memcpy(&value, data.data() + i * sizeof(T), sizeof(T));
  return value;
}

/// Calls `use` with a value of the C++ type that an integer type has in memory; false for others.
template <class Use>
bool with_integer(DType dtype, Use&& use) {
  if (dtype == DType::Int(8)) return use(std::int8_t{}), true;
  if (dtype == DType::UInt(8)) return use(std::uint8_t{}), true;
  if (dtype == DType::Int(16)) return use(std::int16_t{}), true;
  if (dtype == DType::UInt(16)) return use(std::uint16_t{}), true;
  if (dtype == DType::Int(32)) return use(std::int32_t{}), true;
  if (dtype == DType::UInt(32)) return use(std::uint32_t{}), true;
  if (dtype == DType::Int(64)) return use(std::int64_t{}), true;
  if (dtype == DType::UInt(64)) return use(std::uint64_t{}), true;
  return false;
}

/// The same for floats of 32 and 64 bits, too.
template <class Use>
bool with_number(DType dtype, Use&& use) {
  if (dtype == DType::Float(32)) return use(float{}), true;
  if (dtype == DType::Float(64)) return use(double{}), true;
  return with_integer(dtype, use);
}

}  // namespace mlf::tir
