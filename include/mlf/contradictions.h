// What an archive says about a module that cannot all be true. Numbers of such a module are worth
// no more than the statements that they follow from: every command that shows them shows this too.
// Threads: functions have no shared state and may be called from any number of threads.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "mlf/deployment.h"
#include "mlf/export.h"
#include "mlf/graph/topology.h"

namespace mlf {

struct Contradiction {
  /// Of a check of the network with severity `error` (mlf/graph/checks.def), or
  /// "metadata-too-small" or "c-invalid".
  std::string code;
  std::string detail;  ///< one sentence

  friend bool operator==(const Contradiction&, const Contradiction&) = default;
};

/// All of one module, an index into ModelLibrary::modules: the errors of its network, numbers of
/// metadata.json that are smaller than what certainly runs, and C that no compiler takes.
/// `network`: null where the module has none. Errors: `io`, `invalid_input`.
MLF_API Result<std::vector<Contradiction>> contradictions_of(const Deployment& deployment,
                                                             std::size_t module,
                                                             const graph::Topology* network);

}  // namespace mlf
