// Finds the network of each module: in the TIR of main, or in the graph executor's JSON.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "graph/reconstruct.h"
#include "mlf/deployment.h"
#include "support/name_map.h"

namespace mlf::deployment {

/// Groups `sources` by stage: "lowered" first, then the others by name.
std::vector<std::vector<const TirSource*>> by_stage(std::span<const TirSource> sources);

/// Collects the networks of one archive from its TIR, stage by stage, so that only the documents of
/// one stage are in memory at a time. All functions throw `Error`.
class NetworkSearch {
 public:
  /// Reads `Deployment::network_members`. The deployment must outlive the search.
  explicit NetworkSearch(const Deployment& deployment);

  /// Reads the TIR of one stage. Keeps the network that an earlier stage gave a module, so begin
  /// with the preferred stage. If a module has two mains, takes the first and adds a check.
  void add_stage(std::span<const TirSource* const> stage);

  /// Returns the networks. Those of the graph executor need no TIR.
  Networks finish() &&;

 private:
  using StatedModule = std::optional<std::size_t>;

  /// The sources of one module; in an archive, which does not state the module, of all modules.
  void add_sources(std::span<const TirSource* const> sources, StatedModule stated);
  void read_graph(std::size_t module, std::span<const graph::TirInput> kernels);
  void read_mains(std::span<const graph::TirInput> stage, StatedModule stated);
  std::optional<std::size_t> module_of(const graph::Topology& topology) const;

  const Deployment& deployment_;
  const std::vector<Module>& modules_;
  std::vector<graph::ModuleFacts> facts_;                      // of each module
  support::NameMap<std::string, std::size_t> by_symbol_part_;  // the first of equal ones
  std::vector<std::vector<std::string>> parameters_;           // of each module
  std::map<std::size_t, graph::Topology> found_;               // by module
  bool saw_tir_ = false;
};

/// The documents that `inputs` point to.
struct NetworkSources {
  std::vector<std::shared_ptr<const tir::Document>> documents;
  std::vector<graph::TirInput> inputs;
};

/// Returns the sources of main and of its kernels, by stem. Throws the errors of
/// `Deployment::document`.
NetworkSources network_sources(const Deployment& deployment, const graph::Topology& network);

}  // namespace mlf::deployment
