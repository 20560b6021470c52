// How much memory is in use at each step.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "mlf/graph/topology.h"

namespace mlf::graph {

/// Fills `memory` of a topology that is complete otherwise.
void account_memory(Topology& topology);

/// Gives the only workspace pool its size where nothing in the code declares it and where the
/// module's stated workspace is just what its tensors take: TVM's planner leaves no bytes behind
/// the last one. A larger statement may count arrays on the stack as well.
void size_workspace_pool(Topology& topology, std::optional<std::uint64_t> stated);

/// From the step that defines a value to the last one that touches it, both included.
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

  /// Inputs are there before main, constants always, and outputs stay.
  Lifetime of(ValueId value) const;

 private:
  const Topology& topology_;
  std::vector<bool> returned_;  // by value
};

}  // namespace mlf::graph
