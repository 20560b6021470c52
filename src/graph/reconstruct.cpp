#include "graph/reconstruct.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>

#include "graph/compare.h"
#include "graph/kernels/functions.h"
#include "graph/kernels/kernel_code.h"
#include "graph/kernels/kernels.h"
#include "graph/main/main_body.h"
#include "graph/main/parameters.h"
#include "graph/network/completion.h"
#include "graph/network/memory_use.h"
#include "support/error.h"
#include "support/lookup.h"

namespace mlf::graph {

TirInput::TirInput(const tir::Document* input, std::string of)
    : document(input),
      stem(std::move(of)),
      code(input == nullptr
               ? nullptr
               : std::make_shared<const DocumentCode>(
                     // Does not own it.
                     std::shared_ptr<const tir::Document>(std::shared_ptr<void>(), input))) {}

TirInput::TirInput(std::shared_ptr<const DocumentCode> input, std::string of)
    : document(&input->document()), stem(std::move(of)), code(std::move(input)) {}

namespace {

/// A topology with only its provenance.
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

/// Whether a direction of this call was assumed although a later call of the function determined
/// it.
bool can_do_better(const Topology& topology, const Call& call,
                   const KnownDirections& known_directions) {
  // Only functions without TIR have an entry.
  const auto known = known_directions.find(topology.kernel_of(call).symbol);
  if (known == known_directions.end()) return false;
  // Known directions are by tensor; pools and contexts are arguments as well.
  std::size_t tensor = 0;
  for (const Argument& argument : call.arguments) {
    if (!argument.storage) continue;
    const bool is_known = tensor < known->second.size() && known->second[tensor].has_value();
    if (argument.certainty == Certainty::assumed && is_known) return true;
    ++tensor;
  }
  return false;
}

bool can_do_better(const Topology& topology, const KnownDirections& known_directions) {
  return std::any_of(topology.calls.begin(), topology.calls.end(), [&](const Call& call) {
    return can_do_better(topology, call, known_directions);
  });
}

/// Relay's main of the same build, if the TIR contains it (the module attribute `main_func_info`)
/// and has no other main that it could belong to.
std::optional<Topology> relay_main_beside(const FunctionTable& functions, const FunctionRef& main,
                                          std::span<const TirInput> sources) {
  // The attribute does not state its main.
  if (std::ranges::count(functions.mains(), main.source, &FunctionRef::source) != 1) {
    return std::nullopt;
  }
  return relay_main(sources[main.source].document->module.root());
}

/// TVM wrote Relay's main before memory planning, and separate code reads it. So a difference shows
/// an error in one of the two readers or in TVM. Which tensors a kernel writes is a guess if its
/// body is not understood, and a guess contradicts nothing.
void compare_with_relay(Topology& topology, const Topology& relay) {
  const auto has_gaps = [](const Kernel& kernel) { return !kernel.gaps.empty(); };
  if (std::ranges::any_of(topology.kernels, has_gaps)) return;
  for (const std::string& difference : differences_between(topology, relay)) {
    topology.checks.push_back(
        {CheckCode::second_opinion, "Relay's main (second) disagrees: " + difference});
  }
}

/// In generated C, main's parameters are pointers; only packed calls state dimensions.
void forget_inferred_types(ParameterTable& parameters) {
  for (PortPlan& port : parameters.ports) {
    // The reader of C made one dimension from the largest index. The element type is that of the
    // pointer.
    if (port.type.shape && port.type.shape->size() == 1) port.type.shape.reset();
  }
}

/// Adds facts about parameters that main looks up by name; linked ones have priority.
void add_linked(MainBody& body, const TirInput& source, const ModuleFacts* facts) {
  if (body.lookups.empty()) return;
  for (const auto& [name, param] : linked_parameters(source)) {
    body.linked.emplace(name, type_of(param[tir::f::LinkedParam::param]));
  }
  if (facts == nullptr) return;
  for (const NamedTensor& one : facts->parameters) body.linked.emplace(one.name, one.type);
}

/// Whether generated C declares pools or constants in a way that is not understood.
bool has_unread_declarations(const tir::Document& document) {
  return std::ranges::any_of(document.losses, [](const tir::Loss& loss) {
    return loss.code == tir::LossCode::unknown_construct && loss.scope == tir::LossScope::module;
  });
}

/// What these checks miss, a statement that is not understood may do.
constexpr std::array kMaybeElsewhere{CheckCode::read_before_write, CheckCode::no_output,
                                     CheckCode::output_unwritten,  CheckCode::unread_value,
                                     CheckCode::unused_input,      CheckCode::unused_kernel,
                                     CheckCode::io_mismatch,       CheckCode::second_opinion};

void drop_unproven_checks(Topology& topology) {
  if (topology.is_understood()) return;
  const auto is_unproven = [](const Check& check) {
    return support::is_among(kMaybeElsewhere, check.code);
  };
  for (const Check& check : topology.checks) {
    if (is_unproven(check)) std::erase(topology.gaps, check.detail);
  }
  std::erase_if(topology.checks, is_unproven);
}

/// C links where the entry point declares main with other parameters. Each argument is one unless a
/// macro has several.
void check_arguments_of_main(Topology& topology, const FunctionRef& main,
                             const ModuleFacts& facts) {
  const std::size_t given = facts.passed.size();
  const std::size_t taken = main.function.list(tir::f::PrimFunc::params).size();
  const bool is_proven = topology.provenance.dialect == tir::Dialect::c &&
                         topology.is_understood() &&
                         std::ranges::all_of(facts.passed, [](const std::string& argument) {
                           return argument.empty() || argument.find('&') != argument.npos;
                         });
  if (given == 0 || given == taken || !is_proven) return;
  topology.checks.push_back({CheckCode::arity,
                             "the entry point passes main " + std::to_string(given) +
                                 " arguments, main has " + std::to_string(taken) + " parameters",
                             {},
                             {}});
}

/// TVM writes the same number into metadata.json, be it counted with other blocks.
void check_header_workspace(Topology& topology, const ModuleFacts& facts) {
  const std::uint64_t used = least_workspace(topology);
  const auto stated = facts.header_workspace;
  if (!topology.gaps.empty() || !stated || stated == facts.workspace_bytes || *stated >= used)
    return;
  topology.checks.push_back(
      {CheckCode::header_size, fmt::format("the C header states {} bytes of workspace, and the "
                                           "network uses {}",
                                           *stated, used)});
}

/// Builds the network of one main:
/// 1. read main into steps (calls, copies, hooks), without their directions;
///   2. tell tensors, pools and contexts apart among its parameters, then inputs from outputs;
///   3. follow the steps and make values and edges. A function without TIR may show its directions
///      only in a later call; where that would help an earlier one, follow the steps once more;
///   4. complete types from both ends of the edges, count memory, and check the whole.
Topology reconstruct_main(const FunctionRef& main, const FunctionTable& functions,
                          std::span<const TirInput> sources, const ModuleFacts* facts) {
  Topology topology = empty_topology(main, sources);
  MainBody body = read_main(main.function);
  // Main runs on the host, which is a CPU unless main's own target is for another device.
  body.device = device_of_target(main.function).value_or(kCpu);
  add_linked(body, sources[main.source], facts);
  KernelLibrary kernels(functions, sources, main.source, topology.module);
  ParameterTable parameters = classify_parameters(main.function, body, kernels, facts);
  if (topology.provenance.dialect == tir::Dialect::c) forget_inferred_types(parameters);
  // Storages refer to pools by position: these come first.
  topology.pools = parameters.pools;
  plan_ports(parameters, body, kernels, facts, topology);
  // A second pass starts from the same state, with the directions that later calls of the first
  // pass showed.
  const Topology start = topology;
  KnownDirections known_directions;
  follow_main(topology, body, parameters, kernels, known_directions);
  if (can_do_better(topology, known_directions)) {
    topology = start;
    follow_main(topology, body, parameters, kernels, known_directions);
  }
  // The next steps need all edges. Types come first: sizes of values determine reshapes and memory,
  // and lifetimes determine overlaps.
  const std::optional<Topology> relay = relay_main_beside(functions, main, sources);
  restore_shapes(topology, relay ? &*relay : nullptr);
  take_stated_shapes(topology, kernels);
  take_written_sizes(topology, kernels);
  complete_types(topology);
  confirm_reshapes(topology);
  const std::vector<PoolConstant> in_pools = pool_constants(main.function);
  // As the C has them, if it was compared with the TIR.
  const bool has_those_of_c = facts != nullptr && facts->pool_constants;
  check_pool_constants(topology, has_those_of_c ? *facts->pool_constants : in_pools);
  size_pool_constants(topology, in_pools);
  account_memory(topology);
  topology.other_memory = facts != nullptr && !facts->other_memory.empty()
                              ? facts->other_memory
                              : sources[main.source].document->other_memory;
  // A pool that the C declares has the size that is linked, or an unknown one.
  const bool is_declared = has_unread_declarations(*sources[main.source].document) ||
                           parameters.has_other_memory ||
                           (facts != nullptr && !facts->pools.empty());
  if (facts != nullptr && !is_declared) {
    size_workspace_pool(topology, facts->workspace_bytes);
  }
  check_externals(topology);
  check_values(topology);
  check_constant_pools(topology, kernels);
  check_results_in_place(topology, [&](KernelId id) {
    return kernels.describe(topology.kernels[index(id)].symbol).code;
  });
  const ParametersOf parameters_of = [&](KernelId id) {
    return std::span<const KernelParameter>(
        kernels.describe(topology.kernels[index(id)].symbol).parameters);
  };
  take_least_sizes(topology, parameters_of);
  if (facts != nullptr) {
    if (!facts->is_main_reached) {
      topology.checks.push_back({CheckCode::output_unwritten,
                                 "the entry point returns before it calls " + quoted(main.symbol)});
    }
    check_arguments_of_main(topology, main, *facts);
    check_passed_names(topology, *facts, main.function);
    if (facts->io_bytes) confirm_least_sizes(topology, *facts->io_bytes);
    check_header_sizes(topology, facts->header_sizes, parameters.ports, parameters_of);
    check_header_workspace(topology, *facts);
    check_stated_ports(topology, *facts, parameters_of);
  }
  check_unused_kernels(topology, functions, main);
  if (relay) compare_with_relay(topology, *relay);
  drop_unproven_checks(topology);
  return topology;
}

}  // namespace

std::vector<Topology> reconstruct(std::span<const TirInput> sources, const FactsOfMain& facts_of) {
  // One table for all sources: a kernel may be in the TIR of another target than its main.
  const FunctionTable functions(sources);
  std::vector<Topology> topologies;
  for (const FunctionRef* main : functions.mains()) {
    const ModuleFacts* const facts = facts_of ? facts_of(main->symbol) : nullptr;
    topologies.push_back(reconstruct_main(*main, functions, sources, facts));
  }
  check_several_mains(topologies);
  return topologies;
}

}  // namespace mlf::graph
