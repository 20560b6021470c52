#include "mlf/plan.h"

#include <algorithm>
#include <map>

#include "deployment/network_search.h"
#include "plan/network/network_problem.h"
#include "support/error.h"
#include "support/lookup.h"
#include "tir/c/c.h"

namespace mlf {
namespace {

using support::get_or_throw;

/// The alignments of a network's pools that its module's C defines. Throws `Error`.
std::vector<plan::PoolAlignment> pool_alignments(const Deployment& deployment, std::size_t module,
                                                 const graph::Topology& network) {
  std::vector<plan::PoolAlignment> alignments;
  if (network.pools.empty()) return alignments;
  const auto sources = get_or_throw(deployment.generated_c(module));
  if (sources.empty() || !sources.front().c) return alignments;
  std::map<std::string, std::uint64_t> stated;
  for (const tir::Input& file : sources.front().c->files) {
    for (const tir::CArray& array : tir::describe_c(file.text, deployment.macros()).arrays) {
      if (!array.alignment) continue;
      const auto [known, is_new] = stated.try_emplace(array.name, *array.alignment);
      known->second = std::min(known->second, *array.alignment);
    }
  }
  for (const graph::Pool& pool : network.pools) {
    const auto found = support::value_at(stated, pool.name);
    if (found) alignments.push_back({pool.name, *found});
  }
  return alignments;
}

/// For a refused pool, lifetimes are unknown, and therefore also what fits beside its buffers.
std::optional<ModuleSplit> split_of(const graph::Topology& network,
                                    std::span<const graph::TirInput> sources,
                                    const plan::NetworkProblem& problem,
                                    std::span<const plan::MemoryLimit> memories,
                                    const plan::SearchLimits& limits) {
  const bool is_refused =
      std::ranges::any_of(problem.pools, [](const auto& pool) { return !pool.refused.empty(); });
  if (memories.empty() || is_refused) return std::nullopt;
  const bool constants = std::ranges::any_of(memories, &plan::MemoryLimit::has_only_constants);
  auto buffers = accessed_buffers(network, sources, problem, constants);
  if (!buffers) return std::nullopt;
  auto split = plan::split_pools(*buffers, memories, limits);
  return ModuleSplit{std::move(*buffers), std::move(split)};
}

void plan_module(const Deployment& deployment, const plan::SearchLimits& limits,
                 std::span<const plan::MemoryLimit> memories, ModulePlan& result) {
  const graph::Topology& network = *result.network;
  const auto sources = deployment::network_sources(deployment, network);
  const auto alignments = pool_alignments(deployment, result.module, network);
  plan::NetworkProblem problem = plan::network_problem(network, sources, alignments);
  std::vector<plan::PoolPlan> pools = plan::plan_pools(problem, limits);
  result.order = plan::plan_order(network, sources, alignments, pools, limits);
  for (plan::PoolPlan& pool : pools) {
    auto scratch = plan::scratch_costs(network, problem, pool.now);
    result.pools.push_back({std::move(pool), std::move(scratch)});
  }
  result.split = split_of(network, sources, problem, memories, limits);
  result.lower_bound = problem.lower_bound;
  result.first_tick = std::move(problem.first_tick);
  result.allocations = plan::static_plan(network, limits);
}

}  // namespace

Result<ArchivePlan> plan_archive(const Deployment& deployment, const plan::SearchLimits& limits,
                                 std::span<const plan::MemoryLimit> memories) {
  return support::to_result([&] {
    // All searches together take this time.
    const plan::SearchLimits shared = limits.from_now();
    Networks networks = get_or_throw(deployment.networks());
    const std::vector<Module>& modules = deployment.library().modules;
    ArchivePlan result;
    for (std::size_t i = 0; i < modules.size(); ++i) {
      result.modules.push_back({.name = modules[i].name, .module = i});
    }
    for (const MissingNetwork& missing : networks.missing) {
      result.modules[missing.module].missing = missing.reason;
    }
    for (Network& network : networks.found) {
      ModulePlan& module = result.modules[network.module];
      module.network = std::move(network.topology);
      plan_module(deployment, shared, memories, module);
    }
    return result;
  });
}

}  // namespace mlf
