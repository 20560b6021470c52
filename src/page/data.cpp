// Data of a page besides the report: rectangles of the memory map, and code by kernel.

#include <algorithm>
#include <utility>

#include "graph/network/memory_use.h"
#include "mlf/plan.h"
#include "page/kernel_code.h"
#include "page/page.h"
#include "report/integration_tables.h"
#include "support/error.h"
#include "support/name_map.h"

namespace mlf {
namespace page {
namespace {

using graph::Topology;

/// Adds a tensor as a rectangle; if its place is unknown, only its name.
void add_tensor(MemoryMap& map, std::string name, std::optional<std::uint64_t> offset,
                std::optional<std::uint64_t> bytes, std::int64_t first, std::int64_t last,
                bool is_scratch) {
  if (bytes == 0) return;
  if (map.kind != graph::MemoryKind::pool) offset = 0;
  if (!offset || !bytes) {
    map.left_out.push_back(std::move(name));
    return;
  }
  map.tensors.push_back({std::move(name), *offset, *bytes, static_cast<double>(first),
                         static_cast<double>(last) + 1, is_scratch});
}

/// A region of memory in a topology.
struct Region {
  const Topology& network;
  graph::MemoryKind kind;
  std::optional<graph::PoolId> pool;
  std::optional<graph::Device> device;

  bool holds(const graph::Storage& storage) const {
    return storage.memory == kind && storage.pool == pool && network.is_on(device, storage.device);
  }
  bool holds(const graph::KernelBuffer& buffer, const graph::Kernel& kernel) const {
    return buffer.memory == kind && buffer.pool == pool &&
           (pool || network.is_on(device, kernel.device));
  }
};

void add_values(MemoryMap& map, const Topology& network, const Region& region) {
  const graph::Lifetimes lifetimes(network);
  const std::int64_t end = static_cast<std::int64_t>(network.steps()) - 1;
  for (std::size_t i = 0; i < network.values.size(); ++i) {
    const graph::Value& value = network.values[i];
    const graph::Storage& storage = network[value.storage];
    if (!region.holds(storage)) continue;
    const graph::Lifetime life = lifetimes.of(static_cast<graph::ValueId>(i));
    const std::int64_t first = std::max<std::int64_t>(life.from, 0);
    const std::int64_t last = std::min(life.to, end);
    if (last < first) continue;
    // Generated C may not state the type of a tensor, but it allocates its memory.
    const auto bytes = value.bytes || storage.pool ? value.bytes : storage.bytes;
    add_tensor(map, value.name, storage.offset, bytes, first, last, false);
  }
}

void add_workspaces(MemoryMap& map, const Topology& network, const Region& region) {
  for (const graph::Call& call : network.calls) {
    const graph::Kernel& kernel = network.kernel_of(call);
    for (const graph::KernelBuffer& buffer : kernel.workspaces) {
      if (!region.holds(buffer, kernel)) continue;
      add_tensor(map, buffer.name, buffer.offset, buffer.bytes, call.position, call.position, true);
    }
  }
}

std::vector<MemoryMap> maps_of(const Topology& network) {
  std::vector<MemoryMap> maps;
  for (const graph::MemoryUse& use : network.memory) {
    if (use.pool && network[*use.pool].kind == graph::PoolKind::constant) continue;
    MemoryMap map{
        .name = use.pool ? network[*use.pool].name : std::string(graph::to_string(use.kind)),
        .kind = use.kind,
        .live = use.live,
        .uncertain = use.uncertain};
    map.bytes = std::max(use.bytes.value_or(0), use.used);
    if (!network.is_in_ram(use.device)) map.name += " of device " + std::to_string(*use.device);
    const Region region{network, use.kind, use.pool, use.device};
    add_values(map, network, region);
    add_workspaces(map, network, region);
    maps.push_back(std::move(map));
  }
  return maps;
}

/// A tick in units of main's steps, each of which has one or more ticks.
double in_steps(const ModulePlan& plan, std::int64_t tick) {
  const auto next = std::ranges::upper_bound(plan.first_tick, tick);
  if (next == plan.first_tick.begin()) return 0;
  const auto step = static_cast<double>(next - plan.first_tick.begin() - 1);
  if (next == plan.first_tick.end()) return step;
  const std::int64_t first = *(next - 1);
  return step + static_cast<double>(tick - first) / static_cast<double>(*next - first);
}

/// The pool with the best plan; nullopt if the plan has no gain.
std::optional<PlannedMap> planned_map(const ModulePlan& module, const plan::PoolPlan& pool) {
  if (pool.is_refused() || pool.gain() == 0) return {};
  PlannedMap map{.bytes = pool.best.size};
  for (std::size_t i = 0; i < pool.now.buffers.size(); ++i) {
    const plan::PlannedBuffer& buffer = pool.now.buffers[i];
    if (buffer.bytes == 0) continue;
    for (const plan::Interval& live : buffer.live) {
      map.tensors.push_back({.name = buffer.variable,
                             .offset = pool.best.offsets[i],
                             .bytes = buffer.bytes,
                             .begin = in_steps(module, live.lower),
                             .end = in_steps(module, live.upper),
                             .is_scratch = buffer.kernel.has_value()});
    }
  }
  return map;
}

void add_plans(std::vector<MemoryMap>& maps, const ModulePlan& module) {
  for (const ModulePoolPlan& pool : module.pools) {
    const std::string& name = (*module.network)[pool.plan.now.pool].name;
    const auto map = std::ranges::find_if(maps, [&](const MemoryMap& one) {
      return one.kind == graph::MemoryKind::pool && one.name == name;
    });
    if (map != maps.end()) map->planned = planned_map(module, pool.plan);
  }
}

PageModule module_data(const ModuleReport& module, std::size_t position, CodeCollector& collector) {
  PageModule data;
  const Topology* network = module.network ? &*module.network : nullptr;
  const std::vector<graph::Kernel> none;
  const support::NameIndex known(network ? network->kernels : none, &graph::Kernel::symbol);
  for (const KernelReport& kernel : module.kernels) {
    data.kernels.push_back(collector.code_of(kernel, position, known.find(kernel.symbol)));
  }
  if (network == nullptr) return data;
  data.steps = static_cast<std::uint32_t>(network->steps());
  data.calls.resize(data.steps);
  for (std::size_t i = 0; i < network->calls.size(); ++i) {
    data.calls[network->calls[i].position] = static_cast<graph::CallId>(i);
  }
  data.maps = maps_of(*network);
  return data;
}

}  // namespace
}  // namespace page

PageData page_data(const Deployment& deployment, const Report& report) {
  PageData data;
  page::CodeCollector collector(deployment);
  for (std::size_t i = 0; i < report.modules.size(); ++i) {
    data.modules.push_back(page::module_data(report.modules[i], i, collector));
    data.modules.back().integration =
        report::integration_of_module(deployment, i, report.modules[i]);
  }
  data.origin = support::get_or_throw(deployment.origin());
  return data;
}

void add_plans(const Deployment& deployment, PageData& data) {
  const ArchivePlan plan = support::get_or_throw(plan_archive(deployment));
  for (std::size_t i = 0; i < data.modules.size(); ++i) {
    page::add_plans(data.modules[i].maps, plan.modules[i]);
  }
}

}  // namespace mlf
