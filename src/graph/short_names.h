// What kernels are called where there is little room.
#pragma once

#include <string>
#include <vector>

#include "mlf/graph/topology.h"

namespace mlf::graph {

/// For every kernel its symbol without `tvmgen_<module>_` and `fused_`, as far as that leaves all
/// of them different.
std::vector<std::string> short_names(const Topology& topology);

}  // namespace mlf::graph
