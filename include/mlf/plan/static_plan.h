// What a static plan would need where a network allocates while it runs.
// Threads: functions have no shared state; any number of threads may call them at once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mlf/diagnostics.h"
#include "mlf/export.h"
#include "mlf/graph/topology.h"
#include "mlf/plan/problem.h"

namespace mlf::plan {

/// A network without a planned pool for what it computes: main allocates on the heap, the graph
/// executor has storages, and kernels have heap and stack.
struct StaticPlan {
  // What these take now, in bytes at the fullest moment of each (graph::MemoryUse::used).
  std::uint64_t executor = 0;
  std::uint64_t heap = 0;
  std::uint64_t stack = 0;
  /// One pool with every value of main at a place of its own choice; kernels' memory as it is.
  Solution main{};
  /// The same pool with the kernels' workspaces too, each alive during the whole call.
  Solution with_kernels{};
  std::vector<std::string> uncertain{};  ///< why it may be more, one sentence each

  std::uint64_t now() const { return executor + heap + stack; }
};

/// Nothing where main allocates nothing, as after the unified static memory planner. Outputs of the
/// network and inputs are memory of the caller and not part of it. Errors: those of `solve`.
MLF_API Result<std::optional<StaticPlan>> static_plan(const graph::Topology& topology,
                                                      const SearchLimits& limits = {});

}  // namespace mlf::plan
