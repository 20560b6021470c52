// What the generated C says about where pools are.
#pragma once

#include <string_view>
#include <vector>

#include "mlf/deployment.h"
#include "plan/plan_network.h"

namespace mlf {

/// The alignment of the array `pool` in a text of generated C, as CSourceCrtMetadataModule prints
/// it: the attribute `aligned(16)` on the line before `static uint8_t global_workspace[…];`.
/// Nothing where there is no such array, or not of a power of two.
std::optional<std::uint64_t> pool_alignment(std::string_view c, std::string_view pool);

/// Those of a network's pools that its module's C defines. Errors are thrown.
std::vector<plan::PoolAlignment> pool_alignments(const Deployment& deployment, std::size_t module,
                                                 const graph::Topology& network);

}  // namespace mlf
