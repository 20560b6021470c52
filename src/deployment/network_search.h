// Which module's network is where: in the TIR of main, or in the graph executor's JSON.
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

/// `sources` taken apart by stage: "lowered" first, then the others by name.
std::vector<std::vector<const TirSource*>> by_stage(std::span<const TirSource> sources);

/// Collects the networks of one archive from its TIR, stage by stage, so that only the documents of
/// one stage have to be there at a time. All functions throw `Error`.
class NetworkSearch {
 public:
  /// Reads `Deployment::network_members`. The deployment must outlive the search.
  explicit NetworkSearch(const Deployment& deployment);

  /// Reads the TIR of one stage. What an earlier stage showed of a module is kept: begin with the
  /// preferred one. Where one module has two mains, the first counts, with a check.
  void add_stage(std::span<const TirSource* const> stage);

  /// What was found. Graphs of the graph executor need no TIR.
  Networks finish() &&;

 private:
  using StatedModule = std::optional<std::size_t>;

  /// Sources of one module; of all modules in an archive, which does not state it.
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

/// Holds the documents that `inputs` point to.
struct NetworkSources {
  std::vector<std::shared_ptr<const tir::Document>> documents;
  std::vector<graph::TirInput> inputs;
};

/// The sources of main and of its kernels, by stem. Throws what `Deployment::document` returns.
NetworkSources network_sources(const Deployment& deployment, const graph::Topology& network);

}  // namespace mlf::deployment
