// Writes plans as JSON, key by key in the order of schemas/plan.schema.json.
#include <algorithm>
#include <array>

#include "analysis/count_json.h"
#include "graph/formats/type_json.h"
#include "json/write_document.h"
#include "mlf/plan.h"
#include "support/numbers.h"

namespace mlf {
namespace {

using json::Writer;

bool may_be_more(const graph::MemoryUse& use) {
  return use.exactness == graph::Exactness::at_least || use.exactness == graph::Exactness::unknown;
}

/// Whether the network's maximum memory is unknown. Then its plans are incomplete.
bool may_take_more(const graph::Topology& network) {
  return std::ranges::any_of(network.memory, may_be_more);
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
