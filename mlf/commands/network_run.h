// Options of the commands that compile a network and run it.
#pragma once

#include <CLI/App.hpp>
#include <chrono>
#include <cstdint>
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
};

/// For an option that takes one of `processors`.
EnumNames<std::string> processor_names();
/// Adds --module and --input.
void add_network_options(CLI::App& app, NetworkRunArguments& options);
/// Adds --seconds and --memory.
void add_run_limits(CLI::App& app, NetworkRunArguments& options);

/// The values of --input. Throws `Error`: `usage`, those of the files.
std::vector<Tensor> inputs_of(const NetworkRunArguments& options);
std::chrono::milliseconds timeout_of(const NetworkRunArguments& options);
/// In bytes. Throws `Error`: `usage`.
std::uint64_t memory_of(const NetworkRunArguments& options);

/// An invalid network may compute anything.
void warn_if_invalid(const graph::Topology& network, const Console& console);

}  // namespace mlf::program
