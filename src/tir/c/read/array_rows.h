// Rows of array initialisers: the bytes of a constant from its C text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mlf/tir/module.h"
#include "support/source_text.h"
#include "tir/c/read/file_items.h"

namespace mlf::tir::c {

/// Decodes the `count` numbers in `rows` as little-endian elements. Integers are hexadecimal or
/// decimal, floats hexadecimal (or INFINITY, NAN), float16 the bit pattern of each element.
///
/// Throws where there are more or fewer numbers, or something else.
std::vector<std::byte> decode_rows(const support::SourceText& source, Bytes rows, DType element,
                                   std::uint64_t count);

/// The bytes of `"\x01\x02…"`, quotes included in `text`.
///
/// Throws where there are more or fewer than `count`, or something else.
std::vector<std::byte> decode_text(const support::SourceText& source, Bytes text,
                                   std::uint64_t count);

}  // namespace mlf::tir::c
