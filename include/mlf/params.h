// The parameters of a model: `parameters/<module>.params`, TVM's named list of arrays.
// Threads: functions have no shared state; any number of threads may call them at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mlf/diagnostics.h"
#include "mlf/export.h"

namespace mlf {

/// Element type of a parameter, as DLPack's DLDataType stores it.
struct ParamType {
  std::uint8_t code = 0;  ///< 0 int, 1 uint, 2 float, 3 handle, 4 bfloat, 5 complex, …
  std::uint8_t bits = 0;  ///< of one lane
  std::uint16_t lanes = 1;

  friend bool operator==(const ParamType&, const ParamType&) = default;
};

/// TVM's spelling: "int8", "float32x4", "bool" (uint, 1 bit); "code7_8" for a code without a name.
MLF_API std::string to_string(ParamType type);

struct Param {
  std::string name;
  ParamType type;
  std::vector<std::int64_t> shape;  ///< empty: one element
  std::int32_t device_type = 1;     ///< DLDeviceType, always written as 1 (CPU)
  std::int32_t device_id = 0;
  /// Little-endian, C order, (bits+7)/8 bytes per element (lanes are not counted); a view into the
  /// bytes that were read.
  std::span<const std::byte> data;
  std::size_t offset = 0;  ///< of `data` in those bytes
};

/// Reads a whole parameter file (the same in TVM v0.8–v0.18). Order as written, which is TVM's hash
/// order. AOT archives from v0.9 on usually have no entry at all.
///
/// Errors: `invalid_input`; each names `member` and the byte offset of the field that is wrong:
/// truncation, magic numbers, counts that disagree, negative or overflowing shapes, a data size
/// that does not follow from type and shape, a name given twice, bytes after the last array.
MLF_API Result<std::vector<Param>> read_params(std::span<const std::byte> bytes,
                                               std::string_view member);

}  // namespace mlf
