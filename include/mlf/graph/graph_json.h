// TVM's graph-executor JSON: the projection of a topology into it, and the way back.
// Threads: functions have no shared state; any number of threads may call them at once.
#pragma once

#include <span>
#include <string>

#include "mlf/diagnostics.h"
#include "mlf/export.h"
#include "mlf/graph/reconstruct.h"
#include "mlf/graph/topology.h"
#include "mlf/tir/document.h"
#include "mlf/tir/write.h"

namespace mlf::graph {

/// Writes the JSON that TVM's graph executor loads (src/runtime/graph_executor): `nodes`,
/// `arg_nodes`, `heads`, `attrs` {dltype, device_index, storage_id, shape} and `node_row_ptr`.
///
/// Inputs and then constants are `null` nodes, every call is a `tvm_op`. Copies and device hooks
/// are folded away. Where reader and writer of a tensor see different shapes, a `__nop` is
/// between them. Values that share an allocation share a storage_id; values in pools have one each.
///
/// Errors: `check_failed` where a call or an output has nothing to read: such a topology has a
/// check of severity `error`, and no graph.
MLF_API Result<void> write_graph_json(const Topology& topology, tir::JsonLayout layout,
                                      const tir::Sink& sink);

struct GraphJsonOptions {
  std::span<const TirInput> kernels{};        ///< TIR that may define the functions called
  std::span<const std::string> parameters{};  ///< names of `null` nodes that are constants
};

/// Reads the graph of a graph-executor archive (`executor-config/graph/*`). `__nop` nodes become
/// edges whose ends differ in shape, `__copy` nodes become copies. Edges and directions are
/// certain: the graph says them.
///
/// Errors: `invalid_input` with line and column where the text is not such a graph.
MLF_API Result<Topology> read_graph_json(const tir::Input& input,
                                         const GraphJsonOptions& options = {});

}  // namespace mlf::graph
