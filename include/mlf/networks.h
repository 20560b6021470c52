// The networks of an archive: one for each module whose AOT main is in its TIR, or whose graph is
// there for the graph executor.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mlf/archive.h"
#include "mlf/deployment.h"
#include "mlf/diagnostics.h"
#include "mlf/export.h"
#include "mlf/graph/reconstruct.h"
#include "mlf/graph/topology.h"
#include "mlf/model_library.h"

namespace mlf {

/// The network of one module.
struct Network {
  std::size_t module = 0;  ///< index into ModelLibrary::modules
  graph::Topology topology;
};

/// Why a module has no network.
enum class NoNetwork : std::uint8_t {
  operators,  ///< an operator archive: bare functions
  no_tir,     ///< no TIR, no generated C and no graph: its code is in objects
  no_main,    ///< there is TIR, but not of the module's main
};

/// One sentence about the module, without its name.
MLF_API std::string_view to_string(NoNetwork reason);

struct ModuleWithout {
  std::size_t module = 0;  ///< index into ModelLibrary::modules
  NoNetwork reason{};
};

/// Every module is in one of the two lists; both are in the order of the modules.
struct Networks {
  std::vector<Network> found;
  std::vector<ModuleWithout> missing;
};

/// Members beside metadata and TIR that the networks depend on: C headers, Relay text, graphs of the
/// graph executor, and parameters where those need their names. In the order of the archive.
MLF_API std::vector<const archive::Member*> network_members(const archive::Archive& archive,
                                                            const ModelLibrary& library);

/// Collects the networks of one archive from its TIR, stage by stage, so that only the documents of
/// one stage have to be there at a time.
class MLF_API NetworkSearch {
 public:
  /// Reads `network_members`. Both must outlive the search.
  /// Errors: `invalid_input` for a malformed parameter file.
  static Result<NetworkSearch> over(const archive::Archive& archive, const ModelLibrary& library,
                                    const graph::ReconstructLimits& limits = {});

  NetworkSearch(NetworkSearch&&) noexcept;
  NetworkSearch& operator=(NetworkSearch&&) noexcept;
  ~NetworkSearch();

  /// Takes the TIR of one stage. What an earlier stage showed of a module is kept: offer the
  /// preferred stage first. Where one module has two mains, the first counts, with a check.
  /// Errors: those of `graph::reconstruct` and `graph::read_graph_json`.
  Result<void> offer(std::span<const graph::TirInput> stage);

  /// What was found. Graphs of the graph executor need no TIR.
  /// Errors: those of `graph::read_graph_json`.
  Result<Networks> finish() &&;

 private:
  struct State;
  explicit NetworkSearch(std::unique_ptr<State> state) noexcept;
  std::unique_ptr<State> state_;
};

/// `sources` taken apart by stage: "lowered" first, then the others by name.
MLF_API std::vector<std::vector<TirSource>> by_stage(std::span<const TirSource> sources);

/// Reads `sources`, and finds all networks in them and in the rest of the archive.
/// Errors: `invalid_input` for TIR or another member that does not read.
MLF_API Result<Networks> find_networks(const archive::Archive& archive, const ModelLibrary& library,
                                       std::span<const TirSource> sources,
                                       const tir::ReadLimits& limits = {});

}  // namespace mlf
