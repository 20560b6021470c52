#include "arguments.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>
#include <utility>

#include "mlf/deployment.h"
#include "support/nearest.h"

namespace mlf::program {

// --- TIR ----------------------------------------------------------------------------------------

namespace {

/// An error about the archive or file that a command was given.
tl::unexpected<Diagnostic> refuse(ErrorKind kind, std::string message, const std::string& path) {
  Location where;
  where.file = path;
  return tl::make_unexpected(Diagnostic{kind, std::move(message), where});
}

struct Place {
  std::string path;
  std::optional<std::string> member;
};

bool exists(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

/// A path that exists is meant as it is, even with a colon in it.
Place split(const std::string& argument) {
  if (argument == "-" || exists(argument)) return {argument, std::nullopt};
  // The last colon: members of archives have none, paths may.
  const std::size_t colon = argument.rfind(':');
  if (colon == std::string::npos) return {argument, std::nullopt};
  const std::string path = argument.substr(0, colon);
  if (path != "-" && !exists(path)) return {argument, std::nullopt};
  return {path, argument.substr(colon + 1)};
}

/// A directory, or a file that is an archive. A stream is neither: looking at it would consume it.
bool names_archive(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return true;
  if (path == "-" || !std::filesystem::is_regular_file(path, ignored)) return false;
  // One block of a tar.
  std::array<char, 512> head{};
  std::ifstream(path, std::ios::binary).read(head.data(), head.size());
  return archive::begins_as_archive({head.data(), head.size()});
}

/// Null: none. An archive below a directory has the names of the format, and tar prints others.
const archive::Member* find_member(const archive::Archive& archive, const std::string& name) {
  if (const archive::Member* member = archive.find(name)) return member;
  const auto stored = std::ranges::find_if(archive.members(), [&](const archive::Member& one) {
    return std::filesystem::path(one.raw_name).lexically_normal() == name;
  });
  return stored == archive.members().end() ? nullptr : &*stored;
}

/// A member that is TIR whatever it is called.
Result<tir::Document> read_member(const archive::Archive& archive, const std::string& name,
                                  const Limits& limits) {
  const archive::Member* member = find_member(archive, name);
  if (member == nullptr) {
    std::vector<std::string> names;
    for (const archive::Member& one : archive.members()) names.push_back(one.name);
    return refuse(ErrorKind::invalid_input,
                  fmt::format("no member '{}'{}", name, did_you_mean(name, names)), archive.path());
  }
  return archive.read(*member).and_then([&](std::string_view text) {
    return tir::read({.file = archive.path(), .member = member->name, .text = text}, limits.tir);
  });
}

Result<tir::Document> read_only_tir(const Deployment& deployment) {
  const std::vector<TirSource>& sources = deployment.tir_sources();
  const std::string& path = deployment.archive().path();
  // Not a guess among several: what is printed would depend on their names.
  if (sources.size() == 1) return deployment.read_tir(sources.front());
  // The archive is right and lacks what was asked for: 1 and not 65.
  if (sources.empty()) return refuse(ErrorKind::check_failed, "no TIR in this archive", path);
  std::vector<std::string> stems;
  // Ready to be copied into the next command.
  for (const TirSource& source : sources) stems.push_back(path + ":" + source.stem);
  return refuse(ErrorKind::usage, fmt::format("several TIRs, name one: {}", fmt::join(stems, ", ")),
                path);
}

Result<tir::Document> read_from(const Result<Deployment>& deployment,
                                const std::optional<std::string>& member, const Limits& limits) {
  if (!deployment) return tl::make_unexpected(deployment.error());
  if (!member) return read_only_tir(*deployment);
  // As `tar tf` prints it ("./src/tir-1.txt") or as mlf does.
  const std::string normal = std::filesystem::path(*member).lexically_normal();
  // A source of the deployment first: it has a target, a stage and constants, a bare member has
  // not.
  const TirSource* source = deployment->find_tir(normal);
  return source != nullptr ? deployment->read_tir(*source)
                           : read_member(deployment->archive(), normal, limits);
}

/// A stream shows what it is only when it was read, and then it is read.
Result<tir::Document> read_file_or_stream(const std::string& path, const Limits& limits) {
  const auto loaded =
      load_tir_or_archive(path, limits.tir.max_source_bytes, limits.archive.max_total_bytes);
  return loaded.and_then([&](const TirFile& file) {
    // Anything that is not an archive is taken for TIR: what is wrong with it, its reader says
    // best.
    if (!archive::begins_as_archive(file.text)) {
      return tir::read({.file = file.path, .member = {}, .text = file.text}, limits.tir);
    }
    auto archive = archive::Archive::from_bytes(file.text, path, limits.archive);
    return read_from(std::move(archive).and_then([&](archive::Archive opened) {
      return Deployment::open(std::move(opened), limits.deployment());
    }),
                     std::nullopt, limits);
  });
}

}  // namespace

void warn_if_incomplete(const Deployment& deployment, const Console& console) {
  if (deployment.library().states_modules()) return;
  console.warn(
      fmt::format("{}: no metadata.json: modules, executors and targets come from the other files, "
                  "and memory that it would declare is unknown",
                  deployment.archive().path()));
}

Result<tir::Document> read_tir_argument(const std::string& argument, const Limits& limits) {
  const Place place = split(argument);
  if (!place.member && !names_archive(place.path)) return read_file_or_stream(place.path, limits);
  return read_from(Deployment::open(place.path, limits.deployment()), place.member, limits);
}

// --- Networks -----------------------------------------------------------------------------------

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
  return refuse(ErrorKind::usage,
                module.empty() ? fmt::format("several modules, name one with --module: {}",
                                             fmt::join(names, ", "))
                               : unknown_module(module, names),
                path);
}

/// Every module is either among those found or among those missing.
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

std::string unknown_module(const std::string& name, const std::vector<std::string>& known) {
  if (known.empty()) return fmt::format("no module '{}', the archive has none", name);
  return fmt::format("no module '{}', only {}{}", name, fmt::join(known, ", "),
                     did_you_mean(name, known));
}

Result<NetworkArgument> read_network_argument(const std::string& path, const std::string& module,
                                              const std::vector<std::string>& tir_files,
                                              const Limits& limits, const Console& console) {
  // Beside the archive, as `mlf process --tir` takes them.
  auto files = load_tir_files(tir_files, limits.tir.max_source_bytes);
  if (!files) return tl::make_unexpected(files.error());
  auto deployment = Deployment::open(path, limits.deployment(*std::move(files)));
  if (!deployment) return tl::make_unexpected(deployment.error());
  warn_if_incomplete(*deployment, console);
  const auto chosen = choose(deployment->library(), module, path);
  if (!chosen) return tl::make_unexpected(chosen.error());
  auto network = deployment->networks().and_then(
      [&](Networks networks) { return network_of(std::move(networks), *chosen, path); });
  if (!network) return tl::make_unexpected(network.error());
  return NetworkArgument{*std::move(deployment), *chosen, *std::move(network)};
}

Result<Report> read_report_argument(const std::string& path, const Limits& limits,
                                    const Console& console, const ReportOptions& options) {
  return Deployment::open(path, limits.deployment()).and_then([&](const Deployment& deployment) {
    warn_if_incomplete(deployment, console);
    return report_of(deployment, options);
  });
}

}  // namespace mlf::program
