// Makes the outputs of one TIR source, and of one network.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "mlf/deployment.h"
#include "mlf/networks.h"
#include "process/job.h"
#include "process/manifest.h"
#include "process/spool.h"

namespace mlf::process {

/// An output: what goes into the archive under `name`, and the member whose time and owner it gets.
struct Output {
  std::string name;
  const archive::Member* like = nullptr;
  SpooledBytes content;
};

/// Writes the JSON of a TIR, first, and constants beside it into `spool`. Throws `Error`.
std::pair<std::vector<Output>, ManifestTir> render_tir(const TirSource& source, const Job& job,
                                                       Spool& spool);

/// Writes the topology, and its graph unless a check says that it cannot be trusted. Throws
/// `Error`, also where the module's name cannot be part of a member's.
std::pair<std::vector<Output>, ManifestNetwork> render_network(const Network& network,
                                                               const Job& job, Spool& spool);

}  // namespace mlf::process
