// The networks of the archive that a command names.
#pragma once

#include <string>
#include <vector>

#include "limit_option.h"
#include "mlf/graph/topology.h"

namespace mlf::program {

/// Reads the network of one module of the archive at `path` ("-": standard input). An empty
/// `module` means the only one there is.
///
/// Errors: those of the archive and of its TIR; `check_failed` where the module has no network;
/// `usage` where several modules have one and none is named, or the named one does not exist.
Result<graph::Topology> read_network_argument(const std::string& path, const std::string& module,
                                              const std::vector<std::string>& tir_files,
                                              const Limits& limits);

}  // namespace mlf::program
