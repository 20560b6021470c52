// The alignment of pools in generated C.
#pragma once

#include <string_view>
#include <vector>

#include "mlf/deployment.h"
#include "plan/network/network_problem.h"

namespace mlf {

/// Returns the alignment of the array `pool` in a text of generated C, as CSourceCrtMetadataModule
/// prints it: the attribute `aligned(16)` on the line before `static uint8_t global_workspace[…];`.
/// Returns nullopt if there is no such array, or if its alignment is not a power of two.
std::optional<std::uint64_t> pool_alignment(std::string_view c, std::string_view pool);

/// Returns the alignments of a network's pools that its module's C defines. Throws `Error`.
std::vector<plan::PoolAlignment> pool_alignments(const Deployment& deployment, std::size_t module,
                                                 const graph::Topology& network);

}  // namespace mlf
