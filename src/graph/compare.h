// Compares two topologies, such as those of AOT's main and of the graph executor's graph. Threads:
// functions have no shared state; any number of threads may call them at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "mlf/graph/topology.h"

namespace mlf::graph {

/// The relation between the two sides, besides the network.
enum class Relation : std::uint8_t {
  same_network,  ///< separate builds: kernels may be numbered differently
  same_build,    ///< kernels have the same names
};

struct GraphComparison {
  std::size_t calls = 0;    ///< calls that both sides have
  std::size_t by_hash = 0;  ///< of those, kernels recognised by TVM's structural hash
  /// Calls, inputs and outputs that only one side has; one sentence each.
  std::vector<std::string> differences;
  /// Calls of different kernels on one side that hash, name, producers and sizes do not
  /// distinguish: "a, b".
  std::vector<std::string> indistinguishable;

  bool equal() const { return differences.empty(); }
};

/// Compares calls as a multiset of (kernel, producers), inputs by name and outputs by position.
///
/// Identifies a kernel by TVM's structural hash if both sides have it (the hash covers constants,
/// so it may differ between builds), else by its name without module prefix and number, together
/// with its producers and the sizes of its tensors; in one build, by its name alone. Ignores
/// producers that are constants, whose place depends on the executor. Skips copies, and reshapes
/// that only one side calls. Time grows with the number of arguments.
GraphComparison compare(const Topology& left, const Topology& right,
                        Relation relation = Relation::same_network);

}  // namespace mlf::graph
