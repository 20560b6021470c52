// The smallest type that holds every element of a constant.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "mlf/tir/module.h"

namespace mlf::optimize {

/// The smallest type from which a conversion to `dtype` gives every element of `data` exactly:
/// int8, uint8, int16, … for integers, float32 for float64. Nothing where no type is smaller than
/// `dtype`, and for types of several lanes or of fewer bits than a byte.
std::optional<tir::DType> narrowest_type(tir::DType dtype, std::span<const std::byte> data);

/// The elements of `data` as `to`, which has to hold all of them.
std::vector<std::byte> converted(tir::DType from, std::span<const std::byte> data, tir::DType to);

}  // namespace mlf::optimize
