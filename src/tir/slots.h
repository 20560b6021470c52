// Which kinds of node may stand in a field: one rule for every JSON that says kinds by name.
#pragma once

#include "mlf/tir/kind.h"

namespace mlf::tir {

/// Whether a node of this kind may stand where a field wants `slot`.
bool fits(Kind kind, Expects slot);

}  // namespace mlf::tir
