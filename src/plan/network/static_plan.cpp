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
void add_values(const Topology& topology, Allocations& found) {
  const graph::Lifetimes lifetimes(topology);
  const auto steps = static_cast<std::int64_t>(topology.steps());
  for (std::size_t i = 0; i < topology.values.size(); ++i) {
    const graph::Value& value = topology.values[i];
    const graph::Storage& storage = topology[value.storage];
    if (!storage.memory || !is_allocated(*storage.memory) || !topology.is_in_ram(storage.device))
      continue;
    const auto bytes = value.bytes ? value.bytes : storage.bytes;
    if (!bytes) {
      found.uncertain.push_back("the size of " + graph::quoted(value.name) + " is not known");
      continue;
    }
    const graph::Lifetime life = lifetimes.of(static_cast<graph::ValueId>(i));
    found.all.push_back({.buffer = {.id = value.name,
                                    .lower = std::max<std::int64_t>(life.from, -1),
                                    .upper = std::min(life.to, steps) + 1,
                                    .size = *bytes,
                                    .alignment = kAlignment},
                         .value = graph::ValueId{static_cast<std::uint32_t>(i)}});
  }
}

/// A kernel's workspaces are live during its whole call: this function does not look into the
/// kernel.
void add_workspaces(const Topology& topology, Allocations& found) {
  // For all calls together; real networks have far fewer.
  constexpr std::size_t kMaxWorkspaces = 1'000'000;
  for (const graph::Call& call : topology.calls) {
    const graph::Kernel& kernel = topology.kernel_of(call);
    for (const graph::KernelBuffer& buffer : kernel.workspaces) {
      const bool is_placed = is_allocated(buffer.memory) && topology.is_in_ram(kernel.device);
      if (!is_placed || !buffer.bytes) continue;
      if (found.all.size() >= kMaxWorkspaces) {
        found.uncertain.emplace_back("there are too many calls to count them");
        return;
      }
      found.all.push_back({.buffer = {.id = kernel.symbol + "." + buffer.name,
                                      .lower = call.position,
                                      .upper = std::int64_t{call.position} + 1,
                                      .size = *buffer.bytes,
                                      .alignment = kAlignment},
                           .kernel = call.kernel,
                           .variable = buffer.name});
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

Allocations allocations_of(const Topology& topology) {
  Allocations found;
  add_values(topology, found);
  if (!found.all.empty()) add_workspaces(topology, found);
  return found;
}

std::optional<StaticPlan> static_plan(const Topology& topology, const SearchLimits& limits) {
  Allocations found = allocations_of(topology);
  // After USMP, main has no allocations, and TVM has already planned its pools.
  if (found.all.empty()) return std::nullopt;
  StaticPlan plan{.uncertain = std::move(found.uncertain)};
  add_present(topology, plan);
  Problem problem;
  for (const Allocation& one : found.all) {
    if (!one.kernel) problem.buffers.push_back(one.buffer);
  }
  plan.main = support::get_or_throw(solve(problem, limits));
  for (const Allocation& one : found.all) {
    if (one.kernel) problem.buffers.push_back(one.buffer);
  }
  plan.with_kernels = support::get_or_throw(solve(problem, limits));
  return plan;
}

}  // namespace mlf::plan
