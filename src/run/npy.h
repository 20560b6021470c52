// Arrays in NumPy's format .npy: versions 1.0 and 2.0, little-endian, C order.
#pragma once

#include <string>
#include <string_view>

#include "mlf/export.h"
#include "mlf/run.h"

namespace mlf::run {

/// Throws `Error` (invalid_input) for other files, and if the size of the data differs from the
/// head.
Tensor read_npy(std::string_view bytes, std::string name);

/// Version 1.0. Throws `Error` for an element type of less than a byte.
MLF_API std::string npy_bytes(const Tensor& tensor);

}  // namespace mlf::run
