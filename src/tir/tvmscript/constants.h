// The elements of `T.allocate_const([…], "float32", [64])`.
#pragma once

#include <vector>

#include "tir/tvmscript/expressions.h"

namespace mlf::tir::tvmscript {

/// The NDArray that a list of elements makes, or none (with a loss) where the text holds only the
/// first of them.
NodeId constant_data(Expressions& exprs, const Value& elements, DType dtype,
                     const std::vector<NodeId>& extents);

}  // namespace mlf::tir::tvmscript
