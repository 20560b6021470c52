// Reads TVM's graph-executor JSON as a network: the inverse of `write_graph_json`. Threads:
// functions have no shared state; any number of threads may call them at once.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "graph/kernels/functions.h"
#include "graph/reconstruct.h"
#include "mlf/diagnostics.h"
#include "mlf/graph/topology.h"
#include "mlf/tir/document.h"
#include "support/lookup.h"
#include "support/name_map.h"

namespace mlf::graph {

/// TIR that may define the functions of graphs, prepared for any number of graphs.
class GraphKernels {
 public:
  /// `inputs` must outlive this.
  explicit GraphKernels(std::span<const TirInput> inputs);

  std::span<const TirInput> inputs() const { return inputs_; }
  const FunctionRef* find(std::string_view symbol) const { return functions_.find(symbol, 0); }
  /// Whether a function links a parameter of this name (v0.8).
  bool links(std::string_view parameter) const { return linked_.contains(parameter); }
  /// The array of the C that the executor uses as this storage, instead of allocating one; null if
  /// there is none.
  const tir::Node* linked_storage(std::int64_t id) const {
    return support::find_value(linked_storages_, id);
  }

 private:
  std::span<const TirInput> inputs_;
  FunctionTable functions_;
  support::NameSet<std::string> linked_;
  std::map<std::int64_t, tir::Node> linked_storages_;
};

/// The name of the storage with this `storage_id`.
MLF_API std::string storage_name(std::int64_t id);

struct GraphJsonOptions {
  const GraphKernels* kernels = nullptr;      ///< none if null
  std::span<const std::string> parameters{};  ///< names of `null` nodes that are constants
  const ModuleFacts* facts = nullptr;         ///< to compare with; null: none
};

/// Reads the graph of a graph-executor archive (`executor-config/graph/*`). `__nop` nodes become
/// edges whose ends differ in shape, `__copy` nodes become copies. Edges and directions are
/// certain, because the graph states them.
/// Errors: `invalid_input` with line and column if the text is not such a graph.
Result<Topology> read_graph_json(const tir::Input& input, const GraphJsonOptions& options = {});

}  // namespace mlf::graph
