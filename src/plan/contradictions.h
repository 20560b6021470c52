// What of an archive's own plan of its pools cannot be right.
#pragma once

#include <span>
#include <vector>

#include "graph/reconstruct.h"
#include "mlf/graph/topology.h"

namespace mlf::plan {

/// A check for every workspace of a kernel that shares bytes with a tensor, or with another
/// workspace, while both are in use. Tensors of main alone are for `graph::reconstruct` to check.
std::vector<graph::Check> overlapping_workspaces(const graph::Topology& topology,
                                                 std::span<const graph::TirInput> sources);

}  // namespace mlf::plan
