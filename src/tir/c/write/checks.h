// What the writer takes for granted of a module.
#pragma once

#include "mlf/tir/module.h"

namespace mlf::tir::c {

/// Throws support::Error where a field below `root` that TVM always has is undefined, or holds
/// something else than an expression, a statement, a variable or a buffer that belongs there.
void require_whole(Node root);

}  // namespace mlf::tir::c
