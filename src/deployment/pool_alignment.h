// The alignment of pools in generated C.
#pragma once

#include <vector>

#include "mlf/deployment.h"
#include "plan/network/network_problem.h"

namespace mlf {

/// Returns the alignments of a network's pools that its module's C defines. Throws `Error`.
std::vector<plan::PoolAlignment> pool_alignments(const Deployment& deployment, std::size_t module,
                                                 const graph::Topology& network);

}  // namespace mlf
