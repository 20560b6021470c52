// Which module's network stands where: in the TIR of main, or in the graph executor's JSON.
#include <algorithm>
#include <map>

#include "deployment/module_facts.h"
#include "mlf/graph/graph_json.h"
#include "mlf/networks.h"
#include "mlf/params.h"
#include "support/error.h"

namespace mlf {
namespace {

using support::get_or_throw;

bool has_graph_executor(const Module& module) {
  return module.files.graph.has_value();
}

std::string_view text_of(const archive::Archive& archive, const FileRef& file) {
  return get_or_throw(archive.read(*archive.find(file.name)));
}

/// Names of the parameters that the graph executor gets from outside.
std::vector<std::string> parameter_names(const archive::Archive& archive, const Module& module) {
  std::vector<std::string> names;
  if (!has_graph_executor(module) || !module.files.parameters) return names;
  const std::string_view bytes = text_of(archive, *module.files.parameters);
  const auto params = get_or_throw(
      read_params(std::as_bytes(std::span(bytes.data(), bytes.size())),
                  module.files.parameters->name)
          .map_error([&](Diagnostics all) { return in_file(std::move(all), archive.path()); }));
  for (const Param& param : params) names.push_back(param.name);
  return names;
}

NoNetwork reason_for(const Module& module, bool saw_tir) {
  if (module.style == Style::operator_only) return NoNetwork::operators;
  return saw_tir ? NoNetwork::no_main : NoNetwork::no_tir;
}

}  // namespace

struct NetworkSearch::State {
  const archive::Archive& archive;
  const ModelLibrary& library;
  graph::ReconstructLimits limits;
  std::vector<graph::ModuleFacts> facts;             ///< of each module
  std::vector<std::vector<std::string>> parameters;  ///< of each module
  std::map<std::size_t, graph::Topology> found;      ///< by module
  bool saw_tir = false;

  void read_graphs(std::span<const graph::TirInput> kernels);
  void read_mains(std::span<const graph::TirInput> stage);
  std::optional<std::size_t> module_of(const graph::Topology& topology) const;
};

void NetworkSearch::State::read_graphs(std::span<const graph::TirInput> kernels) {
  for (std::size_t i = 0; i < library.modules.size(); ++i) {
    const Module& module = library.modules[i];
    if (!has_graph_executor(module) || found.contains(i)) continue;
    const FileRef& file = *module.files.graph;
    const tir::Input input{
        .file = archive.path(), .member = file.name, .text = text_of(archive, file)};
    auto topology = get_or_throw(
        graph::read_graph_json(input, {.kernels = kernels, .parameters = parameters[i]}));
    topology.module = module.name;
    found.emplace(i, std::move(topology));
  }
}

std::optional<std::size_t> NetworkSearch::State::module_of(const graph::Topology& topology) const {
  const auto named = std::find_if(facts.begin(), facts.end(),
                                  [&](const auto& one) { return one.module == topology.module; });
  if (named != facts.end()) return static_cast<std::size_t>(named - facts.begin());
  return module_of_function(topology.provenance.symbol, library);
}

void NetworkSearch::State::read_mains(std::span<const graph::TirInput> stage) {
  for (graph::Topology& topology : get_or_throw(graph::reconstruct(stage, facts, limits))) {
    const auto module = module_of(topology);
    if (!module) continue;
    topology.module = library.modules[*module].name;
    found.emplace(*module, std::move(topology));
  }
}

NetworkSearch::NetworkSearch(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
NetworkSearch::NetworkSearch(NetworkSearch&&) noexcept = default;
NetworkSearch& NetworkSearch::operator=(NetworkSearch&&) noexcept = default;
NetworkSearch::~NetworkSearch() = default;

Result<NetworkSearch> NetworkSearch::over(const archive::Archive& archive,
                                          const ModelLibrary& library,
                                          const graph::ReconstructLimits& limits) {
  return support::to_result([&] {
    auto state = std::unique_ptr<State>(new State{archive, library, limits, {}, {}, {}, false});
    for (const Module& module : library.modules) {
      state->facts.push_back(deployment::facts_of(archive, module));
      state->parameters.push_back(parameter_names(archive, module));
    }
    return NetworkSearch(std::move(state));
  });
}

Result<void> NetworkSearch::offer(std::span<const graph::TirInput> stage) {
  return support::to_result([&] {
    state_->saw_tir = state_->saw_tir || !stage.empty();
    state_->read_graphs(stage);
    state_->read_mains(stage);
  });
}

Result<Networks> NetworkSearch::finish() && {
  return support::to_result([&] {
    state_->read_graphs({});
    Networks networks;
    for (std::size_t i = 0; i < state_->library.modules.size(); ++i) {
      if (auto found = state_->found.extract(i)) {
        networks.found.push_back({i, std::move(found.mapped())});
      } else {
        networks.missing.push_back({i, reason_for(state_->library.modules[i], state_->saw_tir)});
      }
    }
    return networks;
  });
}

std::vector<const archive::Member*> network_members(const archive::Archive& archive,
                                                    const ModelLibrary& library) {
  std::vector<const archive::Member*> members;
  const auto add = [&](const FileRef& file) { members.push_back(archive.find(file.name)); };
  for (const Module& module : library.modules) {
    for (const FileRef& header : module.files.headers) add(header);
    if (module.files.relay) add(*module.files.relay);
    if (!has_graph_executor(module)) continue;
    add(*module.files.graph);
    if (module.files.parameters) add(*module.files.parameters);
  }
  const auto in_order = [](const archive::Member* a, const archive::Member* b) {
    return std::tie(a->header_offset, a->name) < std::tie(b->header_offset, b->name);
  };
  std::sort(members.begin(), members.end(), in_order);
  members.erase(std::unique(members.begin(), members.end()), members.end());
  return members;
}

std::string_view to_string(NoNetwork reason) {
  switch (reason) {
    case NoNetwork::operators:
      return "an operator archive has bare functions and no network";
    case NoNetwork::no_tir:
      return "the archive has no TIR, no generated C and no graph; capture TIR with tvmc-mlf";
    case NoNetwork::no_main:
      return "the archive's TIR does not hold its AOT main function";
  }
  return {};
}

}  // namespace mlf
