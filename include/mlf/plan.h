// Plans the memory of every network of an archive. mlf/optimize.h writes an archive with these
// plans.
//
//     const auto plan = mlf::plan_archive(deployment);
//     if (!plan) return fail(plan.error());
//     for (const mlf::ModulePlan& module : plan->modules) print(module.name, module.pools.size());
//
// Threads: plain values; functions have no shared state and may be called from any number of
// threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mlf/deployment.h"
#include "mlf/diagnostics.h"
#include "mlf/export.h"
#include "mlf/formats.h"
#include "mlf/plan/network_plan.h"
#include "mlf/plan/problem.h"

namespace mlf {

/// The plan of one pool, and what kernels' workspaces cost in it.
struct ModulePoolPlan {
  plan::PoolPlan plan;
  std::vector<plan::ScratchCost> scratch;
};

/// The buffers of all pools of one module in memories with limits.
struct ModuleSplit {
  std::vector<plan::AccessedBuffer> buffers;
  plan::PoolSplit split;
};

/// One module of the archive.
struct ModulePlan {
  std::string name;
  std::size_t module = 0;              ///< index into ModelLibrary::modules
  std::optional<NoNetwork> missing{};  ///< why it has no network; all below is then empty
  std::optional<graph::Topology> network{};
  std::vector<std::int64_t> first_tick{};  ///< by step; then the end of the last one
  /// No placement needs less memory of pools, executor, heap and stack together.
  analysis::Count lower_bound = analysis::Count::unknown();
  std::vector<ModulePoolPlan> pools{};            ///< its workspace pools
  std::optional<plan::NetworkOrder> order{};      ///< nothing where a pool is refused
  std::optional<plan::StaticPlan> allocations{};  ///< of what it allocates while it runs
  /// Empty without memories, without pools, and if a pool is refused.
  std::optional<ModuleSplit> split{};
};

struct ArchivePlan {
  std::vector<ModulePlan> modules;  ///< in the order of the archive's
};

/// Plans the networks of an archive. Takes the alignment of pools from their arrays in generated C.
/// `memories` are those of the board, the fastest first; without any there is no split. Errors:
/// those of `Deployment::networks`, `Deployment::document` and `plan::solve`.
MLF_API Result<ArchivePlan> plan_archive(const Deployment& deployment,
                                         const plan::SearchLimits& limits = {},
                                         std::span<const plan::MemoryLimit> memories = {});

/// Returns the text of `mlf plan --json` (schemas/plan.schema.json).
MLF_API std::string to_json(const ArchivePlan& plan, const DocumentForm& form);

}  // namespace mlf
