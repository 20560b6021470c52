#include "plan/network/network_problem.h"

#include <algorithm>

#include "graph/network/memory_use.h"
#include "graph/node_queries.h"
#include "support/error.h"

namespace mlf::plan {
namespace {

using graph::MemoryKind;
using graph::Topology;

// TVM's workspace-byte-alignment, and the alignment of TVMBackendAllocWorkspace on most boards.
constexpr std::uint64_t kAlignment = 16;

bool is_allocated(MemoryKind kind) {
  return kind == MemoryKind::executor || kind == MemoryKind::heap || kind == MemoryKind::stack;
}

/// Adds every value of main's allocations. One allocation may contain several values one after the
/// other; a plan may place them separately.
void add_values(const Topology& topology, Problem& problem, StaticPlan& plan) {
  const graph::Lifetimes lifetimes(topology);
  const auto steps = static_cast<std::int64_t>(topology.steps());
  for (std::size_t i = 0; i < topology.values.size(); ++i) {
    const graph::Value& value = topology.values[i];
    const graph::Storage& storage = topology[value.storage];
    if (!storage.memory || !is_allocated(*storage.memory) || !topology.is_in_ram(storage.device))
      continue;
    const auto bytes = value.bytes ? value.bytes : storage.bytes;
    if (!bytes) {
      plan.uncertain.push_back("the size of " + graph::quoted(value.name) + " is not known");
      continue;
    }
    const graph::Lifetime life = lifetimes.of(static_cast<graph::ValueId>(i));
    problem.buffers.push_back({.id = value.name,
                               .lower = std::max<std::int64_t>(life.from, -1),
                               .upper = std::min(life.to, steps) + 1,
                               .size = *bytes,
                               .alignment = kAlignment});
  }
}

/// A kernel's workspaces are live during its whole call: this function does not look into the
/// kernel.
void add_workspaces(const Topology& topology, Problem& problem, StaticPlan& plan) {
  // For all calls together; real networks have far fewer.
  constexpr std::size_t kMaxWorkspaces = 1'000'000;
  for (const graph::Call& call : topology.calls) {
    const graph::Kernel& kernel = topology.kernel_of(call);
    for (const graph::KernelBuffer& buffer : kernel.workspaces) {
      const bool is_placed = is_allocated(buffer.memory) && topology.is_in_ram(kernel.device);
      if (!is_placed || !buffer.bytes) continue;
      if (problem.buffers.size() >= kMaxWorkspaces) {
        plan.uncertain.emplace_back("there are too many calls to count them");
        return;
      }
      problem.buffers.push_back({.id = kernel.symbol + "." + buffer.name,
                                 .lower = call.position,
                                 .upper = std::int64_t{call.position} + 1,
                                 .size = *buffer.bytes,
                                 .alignment = kAlignment});
    }
  }
}

/// Adds the memory that the network takes now: the separate peak of each kind of memory.
void add_present(const Topology& topology, StaticPlan& plan) {
  for (const graph::MemoryUse& use : topology.memory) {
    if (!is_allocated(use.kind) || !topology.is_in_ram(use.device)) continue;
    std::uint64_t& bytes = use.kind == MemoryKind::executor ? plan.executor
                           : use.kind == MemoryKind::heap   ? plan.heap
                                                            : plan.stack;
    bytes += use.used;
    for (const std::string& why : use.uncertain) {
      if (std::ranges::find(plan.uncertain, why) == plan.uncertain.end()) {
        plan.uncertain.push_back(why);
      }
    }
  }
}

}  // namespace

std::optional<StaticPlan> static_plan(const Topology& topology, const SearchLimits& limits) {
  StaticPlan plan;
  Problem problem;
  add_values(topology, problem, plan);
  // After USMP, main has no allocations, and TVM has already planned its pools.
  if (problem.buffers.empty()) return std::nullopt;
  add_present(topology, plan);
  plan.main = support::get_or_throw(solve(problem, limits));
  add_workspaces(topology, problem, plan);
  plan.with_kernels = support::get_or_throw(solve(problem, limits));
  return plan;
}

}  // namespace mlf::plan
