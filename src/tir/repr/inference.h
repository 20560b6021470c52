// What a function that was read leaves unsaid: the text has hardly a dtype and no shape.
#pragma once

#include <cstdint>

#include "tir/repr/context.h"

namespace mlf::tir::repr {

/// Sets the dtypes of the nodes from `first` on. The text has those of constants, casts and
/// allocations alone: what is added, compared or stored together has one dtype, and where nothing
/// says which, it is what such a thing mostly is.
void infer_dtypes(Context& c, std::uint32_t first);
/// Sets the extents of buffers, of which the text has the indices alone: as many elements as are
/// loaded and stored by the nodes from `first` on, as far as loops with constant bounds tell.
void infer_shapes(Context& c, std::uint32_t first);

}  // namespace mlf::tir::repr
