#include "arguments.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>
#include <utility>

#include "mlf/profile.h"
#include "support/error.h"
#include "support/nearest.h"

namespace mlf::program {

using support::get_or_throw;

// --- TIR ----------------------------------------------------------------------------------------

namespace {

/// An error about the archive or file in an argument.
[[noreturn]] void refuse(ErrorKind kind, std::string message, const std::string& path) {
  throw support::Error(kind, std::move(message), {.file = path});
}

struct SplitArgument {
  std::string path;
  std::optional<std::string> member;
};

bool exists(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

/// An existing path counts as a path, even if it contains a colon.
SplitArgument split(const std::string& argument) {
  if (argument == "-" || exists(argument)) return {argument, std::nullopt};
  // Splits at the last colon: names of members contain none, paths may.
  const std::size_t colon = argument.rfind(':');
  if (colon == std::string::npos) return {argument, std::nullopt};
  const std::string path = argument.substr(0, colon);
  if (path != "-" && !exists(path)) return {argument, std::nullopt};
  return {path, argument.substr(colon + 1)};
}

/// Whether it is a directory, or a file with an archive. False for a stream, because reading would
/// consume it.
bool names_archive(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return true;
  if (path == "-" || !std::filesystem::is_regular_file(path, ignored)) return false;
  // One block of a tar.
  std::array<char, 512> head{};
  std::ifstream(path, std::ios::binary).read(head.data(), head.size());
  return archive::begins_as_archive({head.data(), head.size()});
}

/// Null if there is none. An archive below a directory has the names of the format here, and tar
/// prints others.
const archive::Member* find_member(const archive::Archive& archive, const std::string& name) {
  if (const archive::Member* member = archive.find(name)) return member;
  const auto stored = std::ranges::find_if(archive.members(), [&](const archive::Member& one) {
    return std::filesystem::path(one.raw_name).lexically_normal() == name;
  });
  return stored == archive.members().end() ? nullptr : &*stored;
}

/// In a form that can be copied into the next command.
std::string names_of(const std::vector<TirSource>& sources, const std::string& path) {
  std::vector<std::string> stems;
  for (const TirSource& source : sources) stems.push_back(path + ":" + source.stem);
  return some_of(stems);
}

/// A member that is TIR by its content, with any name.
tir::Document read_member(const Deployment& deployment, const std::string& name,
                          const DeploymentOptions& limits) {
  const archive::Archive& archive = deployment.archive();
  const archive::Member* member = find_member(archive, name);
  if (member == nullptr) {
    std::vector<std::string> names;
    for (const archive::Member& one : archive.members()) names.push_back(one.name);
    const std::vector<TirSource>& sources = deployment.tir_sources();
    const std::string next = sources.empty() ? did_you_mean(name, names)
                                             : "; its TIR: " + names_of(sources, archive.path());
    refuse(ErrorKind::invalid_input, fmt::format("no member '{}'{}", name, next), archive.path());
  }
  const std::string_view text = get_or_throw(archive.read(*member));
  return get_or_throw(
      tir::read({.file = archive.path(), .member = member->name, .text = text}, limits.tir_limits));
}

tir::Document read_only_tir(const Deployment& deployment) {
  const std::vector<TirSource>& sources = deployment.tir_sources();
  const std::string& path = deployment.archive().path();
  // Does not choose one of several: the result would depend on their names.
  if (sources.size() == 1) return get_or_throw(deployment.read_tir(sources.front()));
  // The archive is valid but lacks the requested member: exit code 1, not 65.
  if (sources.empty()) refuse(ErrorKind::check_failed, "no TIR in this archive", path);
  refuse(ErrorKind::usage, fmt::format("several TIRs, name one: {}", names_of(sources, path)),
         path);
}

tir::Document read_from(const Deployment& deployment, const std::optional<std::string>& member,
                        const DeploymentOptions& limits) {
  if (!member) return read_only_tir(deployment);
  // The name as `tar tf` prints it ("./src/tir-1.txt") or as mlf does.
  const std::string normal = std::filesystem::path(*member).lexically_normal();
  // A source of the deployment comes first: it has a target, a stage and constants; a single member
  // has none of these.
  const TirSource* source = deployment.find_tir(normal);
  return source != nullptr ? get_or_throw(deployment.read_tir(*source))
                           : read_member(deployment, normal, limits);
}

/// The content of a stream is known only after it was read.
tir::Document read_file_or_stream(const std::string& path, const DeploymentOptions& limits) {
  const TirFile file = get_or_throw(load_tir_or_archive(path, limits.tir_limits.max_source_bytes,
                                                        limits.archive_limits.max_total_bytes));
  // Everything that is not an archive is read as TIR: the reader's error message is the best one.
  if (!archive::begins_as_archive(file.text)) {
    return get_or_throw(
        tir::read({.file = file.path, .member = {}, .text = file.text}, limits.tir_limits));
  }
  auto archive = get_or_throw(archive::Archive::from_bytes(file.text, path, limits.archive_limits));
  return read_from(get_or_throw(Deployment::open(std::move(archive), limits)), std::nullopt,
                   limits);
}

/// Every module is either found or missing.
graph::Topology network_of(Networks networks, std::size_t module, const std::string& path) {
  for (Network& network : networks.found) {
    if (network.module == module) return std::move(network.topology);
  }
  const MissingNetwork* without = networks.missing_of(module);
  const bool has_kernels = without->reason == NoNetwork::operators;
  refuse(ErrorKind::check_failed,
         fmt::format("no network: {}{}", to_string(without->reason),
                     has_kernels ? "; mlf show prints them, mlf report counts them" : ""),
         path);
}

}  // namespace

Deployment open_archive(const std::string& path, const Context& context,
                        const std::vector<std::string>& tir_files) {
  DeploymentOptions options = context.limits;
  options.tir_files = get_or_throw(load_tir_files(tir_files, options.tir_limits.max_source_bytes));
  Deployment deployment = get_or_throw(Deployment::open(path, std::move(options)));
  if (!deployment.library().states_modules()) {
    context.console.warn(
        fmt::format("{}: no metadata.json: modules, executors and targets come from the other "
                    "files, and memory that it would declare is unknown",
                    deployment.archive().path()));
  }
  for (const Module& module : deployment.library().modules) {
    const ModuleFiles& files = module.files;
    const bool has_code = !files.sources.empty() || !files.objects.empty() || files.graph;
    if (has_code || files.headers.empty() || !deployment.tir_sources().empty()) continue;
    context.console.warn(fmt::format(
        "{}: module '{}' has only its header: its C (codegen/host/src), objects (codegen/host/lib) "
        "and TIR are missing",
        deployment.archive().path(), printable(module.name)));
  }
  return deployment;
}

DocumentForm form_of(const Context& context, std::initializer_list<const Deployment*> archives) {
  DocumentForm form(JsonLayout::pretty, {context.words});
  for (const Deployment* const one : archives) {
    form.origin.archives.push_back(get_or_throw(one->origin()));
  }
  return form;
}

tir::Document read_tir_argument(const std::string& argument, const DeploymentOptions& limits) {
  const SplitArgument parts = split(argument);
  if (!parts.member && !names_archive(parts.path)) return read_file_or_stream(parts.path, limits);
  return read_from(get_or_throw(Deployment::open(parts.path, limits)), parts.member, limits);
}

Diagnostic of_source(Diagnostic error, const std::string& source) {
  return error.kind == ErrorKind::io ? error : in_file(std::move(error), source);
}

// --- Networks -----------------------------------------------------------------------------------

std::string unknown_module(const std::string& name, const std::vector<std::string>& known) {
  if (known.empty()) return fmt::format("no module '{}', the archive has none", name);
  return fmt::format("no module '{}', only {}{}", name, some_of(known), did_you_mean(name, known));
}

std::size_t chosen_module(const ModelLibrary& library, const std::string& name,
                          const std::string& path) {
  if (name.empty() && library.modules.size() == 1) return 0;
  const auto named = std::ranges::find(library.modules, name, &Module::name);
  if (named != library.modules.end()) {
    return static_cast<std::size_t>(named - library.modules.begin());
  }
  std::vector<std::string> names;
  for (const Module& one : library.modules) names.push_back(one.name);
  if (!name.empty()) refuse(ErrorKind::usage, unknown_module(name, names), path);
  refuse(ErrorKind::usage,
         names.empty() ? "the archive has no module"
                       : fmt::format("several modules, name one with --module: {}", some_of(names)),
         path);
}

NetworkArgument read_network_argument(const std::string& path, const std::string& module,
                                      const std::vector<std::string>& tir_files,
                                      const Context& context) {
  Deployment deployment = open_archive(path, context, tir_files);
  const std::size_t chosen = chosen_module(deployment.library(), module, path);
  auto network = network_of(get_or_throw(deployment.networks()), chosen, path);
  return {{chosen, std::move(network)}, std::move(deployment)};
}

ReportArgument read_report(const std::string& path, const CompilerArguments& compiler,
                           const std::vector<std::string>& profiles, const Context& context,
                           const std::vector<std::string>& tir_files) {
  const DeploymentOptions limits = with_macros_of(compiler, context.limits);
  Deployment deployment = open_archive(path, {context.console, limits, context.words}, tir_files);
  // Its own macros need no flag.
  Report report =
      get_or_throw(report_of(deployment, {.compiler = compiler_of(compiler, context.limits)}));
  for (const std::string& file : profiles) {
    const auto added = add_profile(report, deployment, get_or_throw(load_profile(file)));
    if (!added) refuse(added.error().kind, added.error().message, file);
  }
  return {std::move(deployment), std::move(report)};
}

}  // namespace mlf::program
