// Functions of the legacy text.
#pragma once

#include "tir/legacy/context.h"

namespace mlf::tir::legacy {

/// Reads from `primfn` to the closing brace.
NodeId read_primfn(Context& c);
/// Reads bare statements up to the end of the text as the body of a function without parameters.
NodeId read_lone_body(Context& c);

}  // namespace mlf::tir::legacy
