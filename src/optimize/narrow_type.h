// Finds the smallest type that holds every element of a constant.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "mlf/tir/module.h"

namespace mlf::optimize {

/// Returns the smallest type from which a conversion to `dtype` gives every element of `data`
/// exactly: int8, uint8, int16, … for integers, float32 for float64. Returns nullopt if no smaller
/// type does, and for types with several lanes or with fewer bits than a byte.
std::optional<tir::DType> narrowest_type(tir::DType dtype, std::span<const std::byte> data);

/// Converts the elements of `data` to `to`, which must hold all of them.
std::vector<std::byte> converted(tir::DType from, std::span<const std::byte> data, tir::DType to);

}  // namespace mlf::optimize
