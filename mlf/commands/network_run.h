// Options of the commands that compile a network and run it.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

#include "mlf/graph/topology.h"
#include "mlf/run.h"
#include "options.h"
#include "output.h"

namespace mlf::program {

struct NetworkRunArguments {
  std::string archive{};
  std::string module{};
  std::vector<std::string> inputs{};
  double seconds = 0;
  std::string memory = "4G";
  std::string cpu{};
  CompilerArguments compiler{};
};

/// For an option that takes one of `processors`.
EnumNames<std::string> processor_names();
/// Adds --module and --input.
void add_network_options(CLI::App& app, NetworkRunArguments& options);
/// Adds --seconds and --memory.
void add_run_limits(CLI::App& app, NetworkRunArguments& options);

/// Without a seed, and records no calls. Throws `Error`: `usage`, those of the files of --input.
RunOptions run_options(const NetworkRunArguments& arguments, const DeploymentOptions& limits);

/// An invalid network may compute anything.
void warn_if_invalid(const graph::Topology& network, const Console& console);

}  // namespace mlf::program
