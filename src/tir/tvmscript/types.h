// Types by name.
#pragma once

#include <string_view>

#include "tir/tvmscript/context.h"

namespace mlf::tir::tvmscript {

/// `T.int32`, `T.handle`, `T.void`, `T.Ptr[global T.float32]`; none for any other path.
NodeId type_of_path(Context& c, std::string_view path);
/// `T.Ptr[T.float32, "global"]` and `T.Tuple[T.int32, T.int8]`; none for any other name.
NodeId generic_type(Context& c, const Value& name, const Value& arguments);

}  // namespace mlf::tir::tvmscript
