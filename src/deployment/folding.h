// Repeated parts of a network, found by the code of its kernels.
// Threads: functions have no shared state; any number of threads may call them at once.
#pragma once

#include "graph/formats/picture.h"
#include "mlf/deployment.h"
#include "mlf/diagnostics.h"
#include "mlf/export.h"

namespace mlf {

/// Calls `graph::fold_repeats`, which treats kernels as equal that compute the same
/// (`analysis::arithmetic_shape`), so that a block repeated with more channels is folded too. A
/// kernel without TIR equals only itself. `network` is an element of `deployment.networks()`.
///
/// Throws the errors of reading TIR; after `networks()` only `io`.
MLF_API graph::FoldedNetwork fold_repeats(const Deployment& deployment,
                                          const graph::Topology& network);

}  // namespace mlf
