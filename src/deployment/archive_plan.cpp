#include "mlf/plan.h"

#include <algorithm>
#include <array>
#include <map>

#include "analysis/count_json.h"
#include "deployment/network_search.h"
#include "graph/formats/type_json.h"
#include "graph/network/memory_use.h"
#include "json/write_document.h"
#include "plan/network/network_problem.h"
#include "support/error.h"
#include "support/lookup.h"
#include "support/numbers.h"
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

// --- JSON ----------------------------------------------------------------------------------------

namespace {

using json::Writer;

/// Whether the network's maximum memory is unknown. Then its plans are incomplete.
bool may_take_more(const graph::Topology& network) {
  return std::ranges::any_of(network.memory, graph::may_be_more);
}

bool may_take_more(const graph::Topology& network, graph::PoolId pool) {
  return std::ranges::any_of(network.memory, [&](const graph::MemoryUse& use) {
    return use.pool == pool && may_be_more(use);
  });
}

/// One let: the place of its offset, the present offset and the planned one.
void write_buffer(Writer& out, const graph::Topology& network, const plan::PoolPlan& pool,
                  std::size_t i) {
  const plan::PlannedBuffer& buffer = pool.now.buffers[i];
  out.member("name", plan::name_of(network, buffer));
  out.member("source", buffer.source);
  out.member("function", buffer.function);
  out.member("variable", buffer.variable);
  out.member("storage", buffer.storage);
  out.member("kernel", buffer.kernel);
  // If the network may take more, a size is only a lower bound.
  const bool is_known = buffer.bytes != 0 && !may_take_more(network, pool.now.pool);
  out.member("bytes", is_known ? std::optional(buffer.bytes) : std::nullopt);
  out.member("alignment", buffer.alignment);
  out.member("is_port", buffer.is_port);
  out.array("live", [&] {
    for (const plan::Interval& live : buffer.live) out.value(std::array{live.lower, live.upper});
  });
  out.member("offset", buffer.offset);
  out.member("best_offset", pool.is_refused() ? std::nullopt : std::optional(pool.best.offsets[i]));
  out.member("in_place_offset",
             pool.in_place ? std::optional(pool.in_place->offsets[i]) : std::nullopt);
}

void write_over_input(Writer& out, const graph::Topology& network, const plan::PoolPlan& pool,
                      const plan::InPlaceBuffers& pair) {
  out.member("call", pair.call);
  out.member("from", plan::name_of(network, pool.now.buffers[pair.from]));
  out.member("to", plan::name_of(network, pool.now.buffers[pair.to]));
}

void write_scratch(Writer& out, const graph::Topology& network, const plan::ScratchCost& cost) {
  out.member("call", cost.call);
  out.member("name", network[cost.call].name);
  out.member("scratch", cost.scratch);
  out.member("peak", cost.peak);
  out.member("without", cost.without);
}

void write_planner(Writer& out, std::string_view key,
                   const std::optional<plan::PlannerResult>& result) {
  out.member(key, result ? std::optional(result->size) : std::nullopt);
}

// For a refused pool, only the archive's own numbers are known.
void write_pool(Writer& out, const graph::Topology& network, const ModulePoolPlan& pool) {
  const plan::PoolPlan& plan = pool.plan;
  const bool is_known = !may_take_more(network, plan.now.pool);
  const auto unless_refused = [&](auto value) {
    return plan.is_refused() ? std::nullopt : std::optional(value);
  };
  out.member("name", network[plan.now.pool].name);
  out.member("declared", plan.now.declared);
  out.member("used", is_known ? plan.now.used : std::nullopt);
  out.member("lower_bound", unless_refused(plan.now.lower_bound));
  out.member("best", unless_refused(plan.best.size));
  out.member("is_proven", unless_refused(plan.best.proven));
  out.member("gain", unless_refused(plan.gain()));
  write_planner(out, "greedy_by_size", plan.greedy_by_size);
  write_planner(out, "greedy_by_conflicts", plan.greedy_by_conflicts);
  write_planner(out, "hill_climb", plan.hill_climb);
  write_planner(out, "in_place", plan.in_place);
  out.member("refused", plan.now.refused);
  out.objects("buffers", support::positions(plan.now.buffers.size()),
              [&](Writer&, std::size_t i) { write_buffer(out, network, plan, i); });
  out.objects("over_inputs", plan.now.in_place, [&](Writer&, const plan::InPlaceBuffers& pair) {
    write_over_input(out, network, plan, pair);
  });
  out.objects("scratch", is_known ? pool.scratch : std::vector<plan::ScratchCost>(),
              [&](Writer&, const plan::ScratchCost& cost) { write_scratch(out, network, cost); });
}

/// Writes null if there is no solution.
void write_solution(Writer& out, std::string_view key, const plan::Solution* solution) {
  out.object(key, [&] {
    out.member("bytes", solution != nullptr ? std::optional(solution->size) : std::nullopt);
    out.member("lower_bound",
               solution != nullptr ? std::optional(solution->lower_bound) : std::nullopt);
    out.member("is_proven", solution != nullptr ? std::optional(solution->proven) : std::nullopt);
  });
}

void write_allocations(Writer& out, const graph::Topology& network, const plan::StaticPlan& plan) {
  const bool is_known = !may_take_more(network);
  const auto if_known = [&](std::uint64_t bytes) {
    return is_known ? std::optional(bytes) : std::nullopt;
  };
  out.member("executor", plan.executor);
  out.member("heap", if_known(plan.heap));
  out.member("stack", if_known(plan.stack));
  write_solution(out, "static_main", is_known ? &plan.main : nullptr);
  write_solution(out, "static_all", is_known ? &plan.with_kernels : nullptr);
  out.member("uncertain", plan.uncertain);
}

/// Positions in `calls` of the topology, and the size of each pool in this order.
void write_order(Writer& out, const ModulePlan& module, const plan::NetworkOrder& order) {
  out.member("peak_now", order.order.given_peak);
  out.member("peak", order.order.peak);
  out.member("lower_bound", order.order.lower_bound);
  out.member("is_proven", order.order.peak ? std::optional(order.order.proven) : std::nullopt);
  out.text_or_null("not_searched", order.order.not_searched);
  out.member("calls", order.calls);
  out.objects("pools", support::positions(order.pools.size()), [&](Writer&, std::size_t i) {
    const plan::Solution& solution = order.pools[i];
    out.member("name", (*module.network)[module.pools[i].plan.now.pool].name);
    out.member("best", solution.size);
    out.member("lower_bound", solution.lower_bound);
    out.member("is_proven", solution.proven);
    out.member("best_offsets", solution.offsets);
  });
}

void write_memory(Writer& out, const plan::SplitMemory& memory) {
  out.member("name", memory.limit.name);
  out.member("limit", memory.limit.bytes);
  out.member("bytes", memory.size);
  out.member("buffers", memory.buffers);
  out.member("accessed", memory.accessed);
}

/// The place of each buffer of all pools in the given memories.
void write_split(Writer& out, const ModuleSplit& module) {
  out.member("fits", module.split.fits);
  out.member("most_in_first", module.split.most_in_first);
  out.objects("memories", module.split.memories, write_memory);
  out.objects("buffers", support::positions(module.buffers.size()), [&](Writer&, std::size_t i) {
    const plan::AccessedBuffer& one = module.buffers[i];
    out.member("name", one.buffer.id);
    out.member("bytes", one.buffer.size);
    out.member("accessed", one.accessed);
    out.member("memory", module.split.places[i].memory);
    out.member("offset", module.split.places[i].offset);
  });
}

void write_module(Writer& out, const ModulePlan& module) {
  out.member("name", module.name);
  out.text_or_null("missing", module.missing ? to_string(*module.missing) : std::string_view());
  out.member("first_tick", module.first_tick);
  out.member("lower_bound", module.lower_bound);
  out.objects("pools", module.pools,
              [&](Writer&, const ModulePoolPlan& one) { write_pool(out, *module.network, one); });
  out.object("order", module.order,
             [&](Writer&, const plan::NetworkOrder& order) { write_order(out, module, order); });
  out.object("allocations", module.allocations, [&](Writer&, const plan::StaticPlan& plan) {
    write_allocations(out, *module.network, plan);
  });
  out.object("split", module.split, write_split);
}

}  // namespace

std::string to_json(const ArchivePlan& plan, const DocumentForm& form) {
  return json::document_text(form, "mlf-plan", kPlanVersion, [&](json::Writer& out) {
    out.objects("modules", plan.modules, write_module);
  });
}

}  // namespace mlf
