// Writes plans as JSON, key by key in the order of schemas/plan.schema.json.
#include <algorithm>

#include "analysis/count_json.h"
#include "json/writer.h"
#include "mlf/archive_plan.h"
#include "mlf/version.h"
#include "support/byte_sink.h"

namespace mlf {
namespace {

class PlanJson {
 public:
  explicit PlanJson(json::Writer& out) : out_(out) {}

  void write(const ArchivePlan& plan);

 private:
  void module(const ModulePlan& module);
  void pool(const graph::Topology& network, const ModulePoolPlan& pool);
  void buffer(const graph::Topology& network, const plan::PoolPlan& pool, std::size_t i);
  void over_input(const graph::Topology& network, const plan::PoolPlan& pool,
                  const plan::InPlaceBuffers& pair);
  void scratch(const graph::Topology& network, const plan::ScratchCost& cost);
  void planner(std::string_view key, const std::optional<plan::PlannerResult>& result);
  void order(const ModulePlan& module);
  void order_pool(const ModulePlan& module, std::size_t index);
  void allocations(const ModulePlan& module);
  void solution(std::string_view key, const plan::Solution* solution);
  void split(const std::optional<ModuleSplit>& split);
  void memory(const plan::SplitMemory& memory);
  void count(std::string_view key, const analysis::Count& count);

  void text(std::string_view key, std::string_view value);
  void number(std::string_view key, std::optional<std::uint64_t> value);
  void sentences(std::string_view key, const std::vector<std::string>& sentences);

  json::Writer& out_;
};

void PlanJson::text(std::string_view key, std::string_view value) {
  out_.key(key);
  out_.string(value);
}

void PlanJson::number(std::string_view key, std::optional<std::uint64_t> value) {
  out_.key(key);
  if (!value) return out_.null();
  out_.integer(static_cast<std::int64_t>(*value));
}

void PlanJson::sentences(std::string_view key, const std::vector<std::string>& sentences) {
  out_.key(key);
  out_.begin_array();
  for (const std::string& sentence : sentences) out_.string(sentence);
  out_.end_array();
}

void PlanJson::planner(std::string_view key, const std::optional<plan::PlannerResult>& result) {
  number(key, result ? std::optional(result->size) : std::nullopt);
}

bool may_be_more(const graph::MemoryUse& use) {
  return use.exactness == graph::Exactness::at_least || use.exactness == graph::Exactness::unknown;
}

/// Whether nobody knows how much memory the network takes at most: then no plan of it is one.
bool may_take_more(const graph::Topology& network) {
  return std::ranges::any_of(network.memory, may_be_more);
}

bool may_take_more(const graph::Topology& network, graph::PoolId pool) {
  return std::ranges::any_of(network.memory, [&](const graph::MemoryUse& use) {
    return use.pool == pool && may_be_more(use);
  });
}

/// One let: where its offset is written, now and as it could be.
void PlanJson::buffer(const graph::Topology& network, const plan::PoolPlan& pool, std::size_t i) {
  const plan::PlannedBuffer& buffer = pool.now.buffers[i];
  out_.begin_object();
  text("name", plan::name_of(network, buffer));
  text("source", buffer.source);
  text("function", buffer.function);
  text("variable", buffer.variable);
  number("storage",
         buffer.storage ? std::optional<std::uint64_t>(index(*buffer.storage)) : std::nullopt);
  number("kernel",
         buffer.kernel ? std::optional<std::uint64_t>(index(*buffer.kernel)) : std::nullopt);
  // Where the network may take more, a size is no more than what is known of it.
  const bool is_known = buffer.bytes != 0 && !may_take_more(network, pool.now.pool);
  number("bytes", is_known ? std::optional(buffer.bytes) : std::nullopt);
  number("alignment", buffer.alignment);
  out_.key("is_port");
  out_.boolean(buffer.is_port);
  out_.key("live");
  out_.begin_array();
  for (const plan::Interval& live : buffer.live) {
    out_.begin_array();
    out_.integer(live.lower);
    out_.integer(live.upper);
    out_.end_array();
  }
  out_.end_array();
  number("offset", buffer.offset);
  number("best_offset", pool.is_refused() ? std::nullopt : std::optional(pool.best.offsets[i]));
  number("in_place_offset",
         pool.in_place ? std::optional(pool.in_place->offsets[i]) : std::nullopt);
  out_.end_object();
}

void PlanJson::over_input(const graph::Topology& network, const plan::PoolPlan& pool,
                          const plan::InPlaceBuffers& pair) {
  out_.begin_object();
  number("call", index(pair.call));
  text("from", plan::name_of(network, pool.now.buffers[pair.from]));
  text("to", plan::name_of(network, pool.now.buffers[pair.to]));
  out_.end_object();
}

void PlanJson::scratch(const graph::Topology& network, const plan::ScratchCost& cost) {
  out_.begin_object();
  number("call", index(cost.call));
  text("name", network[cost.call].name);
  number("scratch", cost.scratch);
  number("peak", cost.peak);
  number("without", cost.without);
  out_.end_object();
}

// Numbers of a pool that is refused are not known, but for what the archive itself says.
void PlanJson::pool(const graph::Topology& network, const ModulePoolPlan& pool) {
  const plan::PoolPlan& plan = pool.plan;
  const bool is_known = !may_take_more(network, plan.now.pool);
  const auto unless_refused = [&](std::uint64_t value) {
    return plan.is_refused() ? std::nullopt : std::optional(value);
  };
  out_.begin_object();
  text("name", network[plan.now.pool].name);
  number("declared", plan.now.declared);
  number("used", is_known ? plan.now.used : std::nullopt);
  count("lower_bound", plan.is_refused() ? analysis::Count(0, std::nullopt) : plan.now.lower_bound);
  number("best", unless_refused(plan.best.size));
  out_.key("is_proven");
  plan.is_refused() ? out_.null() : out_.boolean(plan.best.proven);
  number("gain", unless_refused(plan.gain()));
  planner("greedy_by_size", plan.greedy_by_size);
  planner("greedy_by_conflicts", plan.greedy_by_conflicts);
  planner("hill_climb", plan.hill_climb);
  planner("in_place", plan.in_place);
  sentences("refused", plan.now.refused);
  out_.key("buffers");
  out_.begin_array();
  for (std::size_t i = 0; i < plan.now.buffers.size(); ++i) buffer(network, plan, i);
  out_.end_array();
  out_.key("over_inputs");
  out_.begin_array();
  for (const plan::InPlaceBuffers& pair : plan.now.in_place) over_input(network, plan, pair);
  out_.end_array();
  out_.key("scratch");
  out_.begin_array();
  if (is_known) {
    for (const plan::ScratchCost& cost : pool.scratch) scratch(network, cost);
  }
  out_.end_array();
  out_.end_object();
}

void PlanJson::solution(std::string_view key, const plan::Solution* solution) {
  out_.key(key);
  out_.begin_object();
  number("bytes", solution != nullptr ? std::optional(solution->size) : std::nullopt);
  number("lower_bound", solution != nullptr ? std::optional(solution->lower_bound) : std::nullopt);
  out_.key("is_proven");
  solution != nullptr ? out_.boolean(solution->proven) : out_.null();
  out_.end_object();
}

void PlanJson::allocations(const ModulePlan& module) {
  const std::optional<plan::StaticPlan>& plan = module.allocations;
  out_.key("allocations");
  if (!plan) return out_.null();
  const bool is_known = !may_take_more(*module.network);
  const auto if_known = [&](std::uint64_t bytes) {
    return is_known ? std::optional(bytes) : std::nullopt;
  };
  out_.begin_object();
  number("executor", plan->executor);
  number("heap", if_known(plan->heap));
  number("stack", if_known(plan->stack));
  solution("static_main", is_known ? &plan->main : nullptr);
  solution("static_all", is_known ? &plan->with_kernels : nullptr);
  sentences("uncertain", plan->uncertain);
  out_.end_object();
}

/// Positions in `calls` of the topology, and what each pool needs when they run so.
void PlanJson::order(const ModulePlan& module) {
  out_.key("order");
  if (!module.order) return out_.null();
  const plan::NetworkOrder& order = *module.order;
  out_.begin_object();
  number("peak_now", order.order.given_peak);
  number("peak", order.order.peak);
  number("lower_bound", order.order.lower_bound);
  out_.key("is_proven");
  order.order.peak ? out_.boolean(order.order.proven) : out_.null();
  out_.key("not_searched");
  order.order.not_searched.empty() ? out_.null() : out_.string(order.order.not_searched);
  out_.key("calls");
  out_.begin_array();
  for (const graph::CallId call : order.calls) out_.integer(graph::index(call));
  out_.end_array();
  out_.key("pools");
  out_.begin_array();
  for (std::size_t i = 0; i < order.pools.size(); ++i) order_pool(module, i);
  out_.end_array();
  out_.end_object();
}

void PlanJson::order_pool(const ModulePlan& module, std::size_t index) {
  const plan::Solution& solution = module.order->pools[index];
  out_.begin_object();
  text("name", (*module.network)[module.pools[index].plan.now.pool].name);
  number("best", solution.size);
  number("lower_bound", solution.lower_bound);
  out_.key("is_proven");
  out_.boolean(solution.proven);
  out_.key("best_offsets");
  out_.begin_array();
  for (const std::uint64_t offset : solution.offsets) {
    out_.integer(static_cast<std::int64_t>(offset));
  }
  out_.end_array();
  out_.end_object();
}

void PlanJson::count(std::string_view key, const analysis::Count& count) {
  out_.key(key);
  analysis::write_json(out_, count);
}

void PlanJson::memory(const plan::SplitMemory& memory) {
  out_.begin_object();
  text("name", memory.limit.name);
  number("limit", memory.limit.bytes);
  number("bytes", memory.size);
  number("buffers", memory.buffers);
  count("accessed", memory.accessed);
  out_.end_object();
}

/// Where each buffer of all pools would go in the memories that were given.
void PlanJson::split(const std::optional<ModuleSplit>& module) {
  out_.key("split");
  if (!module) return out_.null();
  out_.begin_object();
  out_.key("fits");
  out_.boolean(module->split.fits);
  number("most_in_first", module->split.most_in_first);
  out_.key("memories");
  out_.begin_array();
  for (const plan::SplitMemory& one : module->split.memories) memory(one);
  out_.end_array();
  out_.key("buffers");
  out_.begin_array();
  for (std::size_t i = 0; i < module->buffers.size(); ++i) {
    const plan::AccessedBuffer& one = module->buffers[i];
    out_.begin_object();
    text("name", one.buffer.id);
    number("bytes", one.buffer.size);
    count("accessed", one.accessed);
    number("memory", module->split.places[i].memory);
    number("offset", module->split.places[i].offset);
    out_.end_object();
  }
  out_.end_array();
  out_.end_object();
}

void PlanJson::module(const ModulePlan& module) {
  out_.begin_object();
  text("name", module.name);
  out_.key("missing");
  module.missing ? out_.string(to_string(*module.missing)) : out_.null();
  out_.key("first_tick");
  out_.begin_array();
  for (const std::int64_t tick : module.first_tick) out_.integer(tick);
  out_.end_array();
  count("lower_bound", module.lower_bound);
  out_.key("pools");
  out_.begin_array();
  for (const ModulePoolPlan& one : module.pools) pool(*module.network, one);
  out_.end_array();
  out_.key("unread_pools");
  module.unread_pools ? out_.string(*module.unread_pools) : out_.null();
  order(module);
  allocations(module);
  split(module.split);
  out_.end_object();
}

void PlanJson::write(const ArchivePlan& plan) {
  out_.begin_object();
  text("format", "mlf-plan");
  number("version", kPlanVersion);
  text("generator", "mlf " + std::string(version()));
  out_.key("modules");
  out_.begin_array();
  for (const ModulePlan& one : plan.modules) module(one);
  out_.end_array();
  out_.end_object();
  out_.end_line();
}

}  // namespace

std::string to_json(const ArchivePlan& plan, JsonLayout layout) {
  support::StringSink sink;
  json::Writer out(sink, layout);
  PlanJson(out).write(plan);
  out.flush();
  return sink.take();
}

}  // namespace mlf
