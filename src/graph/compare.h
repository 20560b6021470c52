// Compares two topologies of one build. Threads: functions have no shared state; any number of
// threads may call them at once.
#pragma once

#include <string>
#include <vector>

#include "mlf/graph/topology.h"

namespace mlf::graph {

/// Returns the calls, inputs and outputs that only one side has; one sentence each.
///
/// Compares calls as a multiset of (kernel, producers), inputs by name and outputs by position.
/// Identifies a kernel by its symbol, together with its producers and the sizes of its tensors.
/// Ignores producers that are constants, whose place depends on the executor. Skips copies, and
/// reshapes that only one side calls. Time grows with the number of arguments.
std::vector<std::string> differences_between(const Topology& left, const Topology& right);

}  // namespace mlf::graph
