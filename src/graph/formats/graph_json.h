// Reads TVM's graph-executor JSON as a network: the inverse of `write_graph_json`. Threads:
// functions have no shared state; any number of threads may call them at once.
#pragma once

#include <span>
#include <string>

#include "graph/reconstruct.h"
#include "mlf/diagnostics.h"
#include "mlf/graph/topology.h"
#include "mlf/tir/document.h"

namespace mlf::graph {

struct GraphJsonOptions {
  std::span<const TirInput> kernels{};        ///< TIR that may define the functions called
  std::span<const std::string> parameters{};  ///< names of `null` nodes that are constants
};

/// Reads the graph of a graph-executor archive (`executor-config/graph/*`). `__nop` nodes become
/// edges whose ends differ in shape, `__copy` nodes become copies. Edges and directions are
/// certain, because the graph states them.
/// Errors: `invalid_input` with line and column if the text is not such a graph.
Result<Topology> read_graph_json(const tir::Input& input, const GraphJsonOptions& options = {});

}  // namespace mlf::graph
