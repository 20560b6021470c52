// Repeated parts of a network, found by the code of its kernels.
#pragma once

#include "graph/formats/picture.h"
#include "mlf/export.h"
#include "mlf/report.h"

namespace mlf {

/// Calls `graph::fold_repeats`, which treats kernels as equal that compute the same
/// (`analysis::arithmetic_shape`), so that a block repeated with more channels is folded too. A
/// kernel without TIR equals only itself. The module must have a network.
MLF_API graph::FoldedNetwork fold_repeats(const ModuleReport& module);

}  // namespace mlf
