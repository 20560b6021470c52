// Target nodes of the IR from targets that were read as text.
#pragma once

#include "mlf/target.h"
#include "tir/text/expr_factory.h"

namespace mlf::tir::text {

/// A Target with its hosts. What no text says (features, the kind's default keys and device type)
/// stays undefined.
NodeId make_target(ExprFactory& make, const mlf::Target& target);

}  // namespace mlf::tir::text
