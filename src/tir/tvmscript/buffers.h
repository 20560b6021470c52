// Declarations of buffers: `T.Buffer`, `T.match_buffer`, `T.alloc_buffer`, `T.decl_buffer`.
#pragma once

#include <string_view>

#include "tir/tvmscript/context.h"

namespace mlf::tir::tvmscript {

/// bool elements take a byte each, and pointers to them say so.
DType stored_dtype(DType dtype);

/// Makes the buffer that a call declares. Its shape is the positional argument at `shape`; what
/// comes before belongs to the call (the parameter of match_buffer).
NodeId declare_buffer(Context& c, std::string_view name, const Arguments& args, std::size_t shape);

}  // namespace mlf::tir::tvmscript
