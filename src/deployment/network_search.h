// Finds the network of each module: in the TIR of main, or in the graph executor's JSON.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "deployment/agreement.h"
#include "deployment/tir_name.h"
#include "graph/formats/graph_json.h"
#include "graph/reconstruct.h"
#include "mlf/deployment.h"
#include "mlf/model_library.h"
#include "support/name_map.h"

namespace mlf::deployment {

/// The static tensor types of `def @main(…) -> …`.
struct RelaySignature {
  std::vector<graph::NamedTensor> parameters{};  ///< including unbound weights; no others
  bool has_all_parameters = false;               ///< each is a tensor of known type
  std::vector<graph::TensorType> results{};      ///< empty where one has no such type
};

/// Reads a text of Relay, which may have no main.
RelaySignature read_relay_signature(std::string_view text);

/// Groups `sources` by stage: "lowered" first, then the others by name.
std::vector<std::vector<const TirSource*>> by_stage(std::span<const TirSource> sources);

/// Collects the networks of one archive from its TIR, stage by stage, so that only the documents of
/// one stage are in memory at a time. All functions throw `Error`.
class NetworkSearch {
 public:
  /// Searches the networks of all modules. The deployment must outlive the search.
  explicit NetworkSearch(const Deployment& deployment);

  /// Reads the TIR of one stage. Keeps the network that an earlier stage gave a module, so begin
  /// with the preferred stage: C decides in place of its TIR (`Deployment::agreement`). If a module
  /// has two mains, takes the first and adds a check.
  void add_next_stage(std::span<const TirSource* const> stage);
  /// Reads the TIR of one stage alone, whatever the C says.
  void add_stage(std::span<const TirSource* const> stage);

  /// Returns the networks. Those of the graph executor need no TIR.
  Networks finish() &&;

 private:
  using StatedModule = std::optional<std::size_t>;
  /// What mlf knows about one module from members without TIR.
  struct ModuleData {
    std::optional<graph::ModuleFacts> facts;
    std::optional<std::vector<std::string>> parameters;
  };

  /// The sources of one module; in an archive, which does not state the module, of all modules.
  void add_sources(std::span<const TirSource* const> sources, StatedModule stated);
  const graph::ModuleFacts& facts_of(std::size_t module);
  void add_declarations_of_c(std::size_t module, graph::ModuleFacts& facts) const;
  const graph::ModuleFacts* facts_of_main(std::string_view symbol);
  const std::vector<std::string>& parameters_of(std::size_t module);
  void read_graph(std::size_t module, const graph::GraphKernels& kernels);
  void read_mains(std::span<const graph::TirInput> stage, StatedModule stated);
  std::optional<std::size_t> module_of(const graph::Topology& topology) const;
  void add_checks_of_c(Networks& networks) const;
  void check_definitions(Networks& networks) const;

  const Deployment& deployment_;
  const std::vector<Module>& modules_;
  StatedOwners stated_;
  const Agreement* agreement_ = nullptr;                       // if C may decide
  support::NameMap<std::string, std::size_t> by_symbol_part_;  // the first of equal ones
  std::map<std::size_t, ModuleData> data_;                     // by module, as far as needed
  std::map<std::size_t, graph::Topology> found_;               // by module
  bool saw_tir_ = false;
};

/// Returns the sources of main and of its kernels, by stem. Throws the errors of
/// `Deployment::document`.
std::vector<graph::TirInput> network_sources(const Deployment& deployment,
                                             const graph::Topology& network);

}  // namespace mlf::deployment
