// Repeated parts of a network, found by the code of its kernels.
// Threads: functions have no shared state; any number of threads may call them at once.
#pragma once

#include "graph/formats/picture.h"
#include "mlf/deployment.h"
#include "mlf/diagnostics.h"
#include "mlf/export.h"

namespace mlf {

/// `graph::fold_repeats` where kernels are alike that compute the same
/// (`analysis::arithmetic_shape`): a block that a network repeats with more channels is one.
/// Kernels without TIR are like themselves alone. `network` is one of `deployment.networks()`.
///
/// Errors: those of reading TIR; none after `networks()` but `io`.
MLF_API Result<graph::FoldedNetwork> fold_repeats(const Deployment& deployment,
                                                  const graph::Topology& network);

}  // namespace mlf
