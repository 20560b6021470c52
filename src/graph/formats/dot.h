// The network in Graphviz' language with what a caller knows beside the topology.
// Threads: functions have no shared state; any number of threads may call them at once.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "graph/formats/fold.h"
#include "mlf/diagnostics.h"
#include "mlf/export.h"
#include "mlf/graph/write.h"

namespace mlf::graph {

/// What a caller knows of a network beside its topology.
struct DotNotes {
  /// Repeated parts that are drawn once; nothing: every call is a box. Of the same topology.
  std::optional<FoldedNetwork> folded{};
  std::vector<std::string> boxes{};   ///< by block or call, a line below its name; empty: none
  std::vector<std::string> layers{};  ///< by call, its layer in the model; empty: not known
};

/// `write_dot` of graph/write.h with these notes. Layers are a line of their boxes; repeated parts
/// are boxes with depth that list the kernels of one time, and several tensors between one and
/// another box are one edge with the sum of their bytes.
MLF_API Result<void> write_dot(const Topology& topology, const DotNotes& notes, const Sink& sink);

}  // namespace mlf::graph
