#include "networks_argument.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "mlf/deployment.h"
#include "refusal.h"

namespace mlf::program {
namespace {

/// The module that is meant: the named one, or the only one.
Result<std::size_t> choose(const ModelLibrary& library, const std::string& module,
                           const std::string& path) {
  if (module.empty() && library.modules.size() == 1) return 0;
  const auto named = std::find_if(library.modules.begin(), library.modules.end(),
                                  [&](const Module& one) { return one.name == module; });
  if (named != library.modules.end()) {
    return static_cast<std::size_t>(named - library.modules.begin());
  }
  std::vector<std::string> names;
  for (const Module& one : library.modules) names.push_back(one.name);
  const std::string problem = module.empty() ? "several modules, name one with --module"
                                             : fmt::format("no module '{}'; there is", module);
  return refuse(ErrorKind::usage, fmt::format("{}: {}", problem, fmt::join(names, ", ")), path);
}

Result<graph::Topology> network_of(Networks networks, std::size_t module, const std::string& path) {
  for (Network& network : networks.found) {
    if (network.module == module) return std::move(network.topology);
  }
  const auto without =
      std::find_if(networks.missing.begin(), networks.missing.end(),
                   [&](const MissingNetwork& one) { return one.module == module; });
  return refuse(ErrorKind::check_failed, fmt::format("no network: {}", to_string(without->reason)),
                path);
}

}  // namespace

Result<graph::Topology> read_network_argument(const std::string& path, const std::string& module,
                                              const std::vector<std::string>& tir_files,
                                              const Limits& limits) {
  auto files = load_tir_files(tir_files);
  if (!files) return tl::make_unexpected(files.error());
  const auto deployment = Deployment::open(
      path,
      {.tir_files = *std::move(files), .archive_limits = limits.archive, .tir_limits = limits.tir});
  if (!deployment) return tl::make_unexpected(deployment.error());
  const auto chosen = choose(deployment->library(), module, path);
  if (!chosen) return tl::make_unexpected(chosen.error());
  return deployment->networks().and_then(
      [&](Networks networks) { return network_of(std::move(networks), *chosen, path); });
}

}  // namespace mlf::program
