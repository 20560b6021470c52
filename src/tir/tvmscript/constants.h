// The elements of `T.allocate_const([…], "float32", [64])`.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "tir/tvmscript/context.h"

namespace mlf::tir::tvmscript {

/// Appends the low `count` bytes of an element, little-endian.
inline void append_little_endian(std::vector<std::byte>& bytes, std::uint64_t bits,
                                 std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    bytes.push_back(static_cast<std::byte>(bits >> (8 * i) & 0xff));
  }
}

/// What a text shows of a constant's elements.
struct ShownElements {
  std::vector<std::byte> bytes;  ///< little-endian
  std::size_t count = 0;
  unsigned digits = 0;  ///< significant ones of floats; 0: the bytes are exact
  bool is_cut = false;  ///< the text says that there are more
};

/// Elements as the printer of v0.9 to v0.11 writes them, brackets included; `count` is how many
/// the extents hold. None where the text is not what it prints for the dtype.
ShownElements read_constant_text(std::string_view text, DType dtype, std::uint64_t count);

/// The NDArray that the elements of a constant make, or none (with a loss) where the text does not
/// hold them and nothing else does. No `elements`: the text has none at all.
NodeId constant_data(Context& c, std::string_view name, const std::optional<Value>& elements,
                     DType dtype, const std::vector<NodeId>& extents);

}  // namespace mlf::tir::tvmscript
