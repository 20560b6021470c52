// A topology as the graph executor sees it: nodes with numbered outputs, nothing between them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "mlf/graph/topology.h"

namespace mlf::graph {

/// One output of one node.
struct Entry {
  std::uint32_t node = 0;
  std::uint32_t output = 0;
  friend auto operator<=>(const Entry&, const Entry&) = default;
};

struct ProjectedNode {
  std::string name;
  std::string function;  ///< empty: a `null` node
  std::string hash;
  std::vector<Entry> inputs;
  std::vector<TensorType> outputs;  ///< complete: where TIR does not say, bytes of the storage
  std::vector<std::uint32_t> storage_ids;  ///< by output
};

struct Projection {
  std::vector<ProjectedNode> nodes;
  std::vector<Entry> heads;
};

/// Throws `Error` of kind check_failed where a call or an output has nothing to read.
Projection project(const Topology& topology);

}  // namespace mlf::graph
