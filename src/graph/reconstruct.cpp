#include "mlf/graph/reconstruct.h"

#include <algorithm>
#include <optional>

#include "graph/kernels/functions.h"
#include "graph/kernels/kernels.h"
#include "graph/main/main_body.h"
#include "graph/main/parameters.h"
#include "graph/main/ports.h"
#include "graph/network/checks.h"
#include "graph/network/memory_use.h"
#include "graph/network/network_builder.h"
#include "graph/network/relay_main.h"
#include "mlf/graph/compare.h"
#include "support/error.h"

namespace mlf::graph {
namespace {

const ModuleFacts* facts_of(std::span<const ModuleFacts> facts, std::string_view module) {
  const auto at = std::find_if(facts.begin(), facts.end(),
                               [&](const ModuleFacts& one) { return one.module == module; });
  return at == facts.end() ? nullptr : &*at;
}

Topology empty_topology(const FunctionRef& main, std::span<const TirInput> sources) {
  Topology topology;
  topology.module = module_of_main(main.symbol);
  const TirInput& source = sources[main.source];
  topology.provenance.source = source.stem;
  topology.provenance.dialect = source.document->source.dialect;
  topology.provenance.stage = source.document->source.stage;
  topology.provenance.tvm_version = source.document->source.tvm_version;
  topology.provenance.function = main.name;
  topology.provenance.symbol = main.symbol;
  return topology;
}

/// Whether a direction was assumed in a call of a function that another call settled later.
bool can_do_better(const Topology& topology, const Call& call, const Settled& settled) {
  const auto known = settled.find(topology.kernel_of(call).symbol);
  if (known == settled.end()) return false;
  std::size_t tensor = 0;
  for (const Argument& argument : call.arguments) {
    if (!argument.storage) continue;
    const bool is_known = tensor < known->second.size() && known->second[tensor].has_value();
    if (argument.certainty == Certainty::assumed && is_known) return true;
    ++tensor;
  }
  return false;
}

bool can_do_better(const Topology& topology, const Settled& settled) {
  return std::any_of(topology.calls.begin(), topology.calls.end(),
                     [&](const Call& call) { return can_do_better(topology, call, settled); });
}

void note_externals(Topology& topology) {
  for (const Kernel& kernel : topology.kernels) {
    if (kernel.origin != KernelOrigin::external) continue;
    topology.checks.push_back(
        {CheckCode::external_callee, "'" + kernel.symbol + "' has no TIR", {}, {}});
  }
}

/// Relay's main of the same build, where the TIR has kept it and holds no other main.
std::optional<Topology> relays_main(const FunctionTable& functions, const FunctionRef& main,
                                    std::span<const TirInput> sources) {
  const auto mains = functions.mains();
  const auto here = std::count_if(mains.begin(), mains.end(), [&](const FunctionRef* other) {
    return other->source == main.source;
  });
  if (here != 1) return std::nullopt;
  return relay_main(sources[main.source].document->module.root());
}

void ask_relay(Topology& topology, const Topology& relay) {
  for (const std::string& difference : compare(topology, relay, Relation::same_build).differences) {
    topology.checks.push_back(
        {CheckCode::second_opinion, "Relay's main (second) disagrees: " + difference, {}, {}});
  }
}

/// Generated C knows main's parameters as pointers; only packed calls state dimensions.
void forget_inferred_types(SlotTable& slots) {
  for (PortPlan& port : slots.ports) {
    if (port.type.shape && port.type.shape->size() == 1) port.type = {};
  }
}

Topology reconstruct_main(const FunctionRef& main, const FunctionTable& functions,
                          std::span<const TirInput> sources, const ModuleFacts* facts,
                          const ReconstructLimits& limits) {
  Topology topology = empty_topology(main, sources);
  const MainBody body = read_main(main.function, limits);
  KernelLibrary kernels(functions, sources, main.source, facts, topology.module);
  SlotTable slots = classify_slots(main.function, body, facts);
  if (topology.provenance.dialect == tir::Dialect::c) forget_inferred_types(slots);
  topology.pools = slots.pools;
  plan_ports(slots, body, kernels, facts, topology);
  const Topology start = topology;
  Settled settled;
  NetworkBuilder(topology, body, slots, kernels, settled).run();
  if (can_do_better(topology, settled)) {
    topology = start;
    NetworkBuilder(topology, body, slots, kernels, settled).run();
  }
  const std::optional<Topology> relay = relays_main(functions, main, sources);
  complete_types(topology, relay ? &*relay : nullptr);
  settle_reshapes(topology);
  account_memory(topology);
  note_externals(topology);
  check_values(topology);
  check_unused_kernels(topology, functions, main);
  if (relay) ask_relay(topology, *relay);
  return topology;
}

/// Two mains of one module contradict each other, whatever they say.
void check_several_mains(std::vector<Topology>& topologies) {
  for (std::size_t i = 0; i < topologies.size(); ++i) {
    for (std::size_t k = 0; k < topologies.size(); ++k) {
      if (i == k || topologies[i].module != topologies[k].module) continue;
      const Provenance& other = topologies[k].provenance;
      topologies[i].checks.push_back({CheckCode::several_mains,
                                      "'" + other.symbol + "' in " + other.source +
                                          " is another main of module '" + topologies[i].module +
                                          "'",
                                      {},
                                      {}});
    }
  }
}

}  // namespace

Result<std::vector<Topology>> reconstruct(std::span<const TirInput> sources,
                                          std::span<const ModuleFacts> facts,
                                          const ReconstructLimits& limits) {
  return support::to_result([&] {
    const FunctionTable functions(sources);
    std::vector<Topology> topologies;
    for (const FunctionRef* main : functions.mains()) {
      const ModuleFacts* own = facts_of(facts, module_of_main(main->symbol));
      topologies.push_back(reconstruct_main(*main, functions, sources, own, limits));
    }
    check_several_mains(topologies);
    return topologies;
  });
}

}  // namespace mlf::graph
