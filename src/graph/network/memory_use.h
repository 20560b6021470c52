// How much memory is in use at each step.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "mlf/graph/topology.h"

namespace mlf::graph {

/// Fills `memory` and `devices` of an otherwise complete topology.
void account_memory(Topology& topology);

/// Sets the size of the only workspace pool, if the code does not declare it and the module's
/// stated workspace equals the bytes of its tensors: TVM's planner leaves no bytes after the last
/// tensor. A larger stated number may include arrays on the stack.
void size_workspace_pool(Topology& topology, std::optional<std::uint64_t> stated);

/// From the step that defines a value to the last one that accesses it, both included.
struct Lifetime {
  static constexpr std::int64_t kBeforeMain = -1;
  static constexpr std::int64_t kForever = std::numeric_limits<std::int64_t>::max();
  std::int64_t from = kBeforeMain;
  std::int64_t to = kForever;
};

class Lifetimes {
 public:
  /// `topology` must outlive this.
  explicit Lifetimes(const Topology& topology);

  /// Inputs exist before main, constants always, and outputs to the end.
  Lifetime of(ValueId value) const;

 private:
  const Topology& topology_;
  std::vector<bool> returned_;  // by value
};

}  // namespace mlf::graph
