// The elements of tensors as numbers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mlf/run.h"

namespace mlf::run {

std::size_t elements_of(const Tensor& tensor);

/// The bits of an element; for more than 8 bytes, the lowest ones.
std::uint64_t element_bits(const Tensor& tensor, std::size_t element);

/// The value of a floating-point number in any IEEE format, including bfloat16.
double float_value(std::uint64_t bits, tir::DType dtype);

/// The value of an element; of integers of 64 bits the nearest one.
double number_of(const Tensor& tensor, std::size_t element);

/// For integers: maps values to numbers with the same order and the same differences.
std::uint64_t ordered_bits(std::uint64_t bits, tir::DType dtype);

}  // namespace mlf::run
