// Rows of array initialisers: the bytes of a constant from its C text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mlf/tir/dtype.h"
#include "support/source_text.h"
#include "tir/c/items.h"

namespace mlf::tir::c {

/// Whether constants of this element type are printed: integers of 8 to 64 bits and floats.
bool has_rows(DType element);

/// Decodes the `count` numbers in `rows` as little-endian elements. Integers are hexadecimal or
/// decimal, floats hexadecimal (or INFINITY, NAN), float16 the bit pattern of each element.
///
/// Throws where there are more or fewer numbers, or something else.
std::vector<std::byte> decode_rows(const support::SourceText& source, Bytes rows, DType element,
                                   std::uint64_t count);

}  // namespace mlf::tir::c
