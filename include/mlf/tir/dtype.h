// TVM's DataType: what a scalar or a vector is made of.
// Threads: plain values; functions have no shared state and may be called from any number of
// threads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "mlf/export.h"

namespace mlf::tir {

/// Type codes as in DLPack and TVM's runtime/data_type.h.
enum class TypeCode : std::uint8_t {
  Int = 0,
  UInt = 1,
  Float = 2,
  Handle = 3,
  BFloat = 4,
  E4M3Float = 6,
  E5M2Float = 7,
  Custom = 129,  ///< first of the custom codes; the code itself is kept, its name is not
};

/// A data type of `lanes` elements of `bits` bits each.
///
/// bool is an unsigned integer of one bit; `handle` is a pointer (its width is never written by
/// TVM and taken as 64); void is a handle of no bits. Scalable vectors (v0.16+) have negative
/// lanes: -4 is "vscale times 4".
struct DType {
  TypeCode code = TypeCode::Handle;
  std::uint8_t bits = 0;
  std::int16_t lanes = 0;

  friend bool operator==(const DType&, const DType&) = default;

  bool is_void() const { return code == TypeCode::Handle && bits == 0; }
  bool is_handle() const { return code == TypeCode::Handle && bits != 0; }
  bool is_bool() const { return code == TypeCode::UInt && bits == 1; }
  bool is_int() const { return code == TypeCode::Int; }
  bool is_uint() const { return code == TypeCode::UInt; }
  /// Any type of floating point, bfloat16 and the 8-bit ones included.
  bool is_float() const {
    return code != TypeCode::Int && code != TypeCode::UInt && code != TypeCode::Handle;
  }
  bool is_scalar() const { return lanes == 1; }
  DType with_lanes(std::int16_t count) const { return {code, bits, count}; }
  /// With the lanes of `other`; void has none to give.
  DType as_wide_as(DType other) const { return other.is_void() ? *this : with_lanes(other.lanes); }
  DType element() const { return with_lanes(1); }
  /// Bytes of one element in memory: bits rounded up to whole bytes (bool takes one byte).
  std::size_t element_bytes() const { return (bits + 7u) / 8u; }

  std::uint32_t packed() const {
    return static_cast<std::uint32_t>(code) | static_cast<std::uint32_t>(bits) << 8 |
           static_cast<std::uint32_t>(static_cast<std::uint16_t>(lanes)) << 16;
  }
  static DType unpack(std::uint32_t word) {
    return {static_cast<TypeCode>(word & 0xff), static_cast<std::uint8_t>(word >> 8 & 0xff),
            static_cast<std::int16_t>(static_cast<std::uint16_t>(word >> 16))};
  }

  static constexpr DType Void() { return {}; }
  static constexpr DType Handle() { return {TypeCode::Handle, 64, 1}; }
  static constexpr DType Bool() { return {TypeCode::UInt, 1, 1}; }
  static constexpr DType Int(std::uint8_t bits) { return {TypeCode::Int, bits, 1}; }
  static constexpr DType UInt(std::uint8_t bits) { return {TypeCode::UInt, bits, 1}; }
  static constexpr DType Float(std::uint8_t bits) { return {TypeCode::Float, bits, 1}; }
};

/// TVM's spelling: `int32`, `float16x4`, `bool`, `handle`, `float32xvscalex4`; void is `void`.
MLF_API std::string to_string(DType dtype);

/// Parses TVM's spelling; the empty string and `void` are void, `bool` and `uint1` are the same.
MLF_API std::optional<DType> parse_dtype(std::string_view text);

}  // namespace mlf::tir
