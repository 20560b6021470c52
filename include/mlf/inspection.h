// What is in an archive: modules, memory, TIR, functions, members. `mlf inspect` shows it.
// Threads: plain values; functions have no shared state and may be called from any number of
// threads.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "mlf/deployment.h"
#include "mlf/diagnostics.h"
#include "mlf/export.h"
#include "mlf/json_layout.h"
#include "mlf/networks.h"

namespace mlf {

/// A function of a TIR module.
struct FunctionFacts {
  std::string name;
  std::string symbol;  ///< global_symbol, or the name where it has none
  std::string module;  ///< of the model library; empty where none fits
  std::size_t parameters = 0;
};

/// One TIR source. Either it was read, or `failure` says why not.
struct TirFacts {
  TirSource source;
  tir::Source origin{};
  std::optional<Target> target{};
  std::vector<std::string> modules{};
  std::vector<FunctionFacts> functions{};
  std::vector<tir::Loss> losses{};
  std::string json_member{};  ///< the src/tir-N.json of this source, if the archive has one
  std::optional<Diagnostic> failure{};
};

/// What reading everything in an archive came to, beside what the Deployment itself knows.
struct Inspection {
  std::vector<TirFacts> tir;
  Networks networks;                             ///< none where `networks_failure` says why
  std::optional<Diagnostic> networks_failure{};  ///< a TIR or a graph that does not read

  /// The network of a module, by its index in ModelLibrary::modules; null where it has none.
  MLF_API const graph::Topology* network_of(std::size_t module) const;
};

/// TIR that does not read is a `failure`, so that all others are shown.
MLF_API Inspection inspect(const Deployment& deployment);

/// The text of `mlf inspect --json` (schemas/inspect.schema.json).
MLF_API std::string to_json(const Deployment& deployment, const Inspection& inspection,
                            JsonLayout layout);

}  // namespace mlf
