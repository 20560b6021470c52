#include "commands/inspection.h"

#include <fmt/core.h>

#include <algorithm>

namespace mlf::program {
namespace {

using tir::Kind;
namespace f = tir::f;

FunctionFacts describe(const tir::NamedFunction& function, const Deployment& deployment) {
  FunctionFacts facts;
  facts.name = function.name;
  facts.symbol = function.symbol;
  if (!function.function.is(Kind::PrimFunc)) return facts;
  facts.parameters = function.function.list(f::PrimFunc::params).size();
  if (const auto owner = deployment.module_of_function(facts.symbol)) {
    facts.module = deployment.library().modules[*owner].name;
  }
  return facts;
}

void add_document(TirFacts& facts, const tir::Document& document, const Deployment& deployment) {
  for (const tir::NamedFunction& one : tir::functions_of(document.module)) {
    facts.functions.push_back(describe(one, deployment));
  }
  facts.origin = document.source;
  facts.losses = document.losses;
}

void add_owners(TirFacts& facts, const TirOwners& owners, const ModelLibrary& library) {
  for (const std::size_t i : owners.modules) facts.modules.push_back(library.modules[i].name);
  if (owners.target != nullptr) facts.target = *owners.target;
}

TirFacts describe(const TirSource& source, const Deployment& deployment) {
  TirFacts facts{.source = source};
  const std::string json = "src/" + source.stem + ".json";
  if (deployment.archive().find(json) != nullptr) facts.json_member = json;
  const auto document = deployment.document(source);
  if (!document) {
    facts.failure = document.error();
    return facts;
  }
  add_document(facts, **document, deployment);
  // What can be read has owners.
  add_owners(facts, deployment.owners_of(source).value(), deployment.library());
  return facts;
}

}  // namespace

Result<Inspection> inspect(const std::string& path, const Limits& limits) {
  auto deployment = Deployment::open(path, limits.deployment());
  if (!deployment) return tl::make_unexpected(std::move(deployment.error()));
  Inspection inspection{*std::move(deployment), {}, {}};
  if (auto networks = inspection.deployment.networks()) {
    inspection.networks = *std::move(networks);
  } else {
    inspection.networks_failure = std::move(networks.error());
  }
  for (const TirSource& source : inspection.deployment.tir_sources()) {
    inspection.tir.push_back(describe(source, inspection.deployment));
    inspection.deployment.release_documents();
  }
  return inspection;
}

const graph::Topology* Inspection::network_of(std::size_t module) const {
  const auto found = std::ranges::find(networks.found, module, &Network::module);
  return found == networks.found.end() ? nullptr : &found->topology;
}

std::string_view name_of(archive::Storage storage) {
  constexpr std::string_view kNames[] = {"tar", "tar.gz", "tar.xz", "tar.zst", "directory"};
  return kNames[static_cast<std::size_t>(storage)];
}

std::string_view name_of(archive::MemberType type) {
  constexpr std::string_view kNames[] = {
      "file",         "directory", "hard link", "symbolic link", "character device",
      "block device", "fifo",      "socket"};
  return kNames[static_cast<std::size_t>(type)];
}

std::string_view name_of(Style style) {
  return style == Style::full_model ? "full-model" : "operator";
}

std::string_view name_of(Executor executor) {
  return executor == Executor::aot ? "aot" : "graph";
}

std::string spelled(const tir::VersionRange& range) {
  if (!range.exact.empty()) return range.exact;
  if (range.first == range.last) return fmt::format("0.{}", range.first);
  return fmt::format("0.{} to 0.{}", range.first, range.last);
}

}  // namespace mlf::program
