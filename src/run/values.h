// The elements of tensors as numbers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mlf/run.h"

namespace mlf::run {

/// The bits of an element; of one of more than 8 bytes, the lowest.
std::uint64_t element_bits(const Tensor& tensor, std::size_t element);

/// Of any floating-point type of IEEE form, bfloat16 among them.
double float_value(std::uint64_t bits, tir::DType dtype);

/// For integers: numbers that have the order of the values, and their differences.
std::uint64_t ordered_bits(std::uint64_t bits, tir::DType dtype);

}  // namespace mlf::run
