// A network's pools and the ticks of its kernels, as its TIR shows them.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "mlf/plan/network_plan.h"
#include "plan/kernel_ticks.h"

namespace mlf::plan {

/// By kernel; nothing for one without TIR.
std::vector<std::optional<KernelTicks>> ticks_of_kernels(const graph::Topology& topology,
                                                         std::span<const graph::TirInput> sources);

/// As `network_problem`, without a look at whether the offsets there are go with the lives. The
/// steps need not be in the order of their positions.
NetworkProblem read_network(const graph::Topology& topology,
                            std::span<const graph::TirInput> sources,
                            std::span<const PoolAlignment> alignments);

}  // namespace mlf::plan
