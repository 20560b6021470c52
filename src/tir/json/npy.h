// NumPy's file format, version 1.0, for the constants that stand beside tir-N.json.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "mlf/tir/dtype.h"

namespace mlf::tir::tir_json {

/// Bytes that a constant has to have: TVM stores no lanes.
std::uint64_t byte_size(DType dtype, std::span<const std::int64_t> shape);

/// NumPy's name for the elements: "<f4", "|b1"; "|V2" where NumPy has no such type.
std::string npy_descr(DType dtype);

/// What stands before the data: magic, version, length and the padded dictionary.
std::string npy_header(DType dtype, std::span<const std::int64_t> shape);

}  // namespace mlf::tir::tir_json
