#include "mlf/inspection.h"

#include "deployment/entry_point.h"
#include "deployment/owners.h"
#include "deployment/tir_name.h"
#include "support/error.h"

namespace mlf {
namespace deployment {
namespace {

using tir::Kind;
namespace f = tir::f;

FunctionFacts describe(const tir::NamedFunction& function, std::optional<std::size_t> owner,
                       const ModelLibrary& library) {
  FunctionFacts facts;
  facts.name = function.name;
  facts.symbol = function.symbol;
  if (!function.function.is(Kind::PrimFunc)) return facts;
  facts.parameters = function.function.list(f::PrimFunc::params).size();
  if (owner) facts.module = library.modules[*owner].name;
  return facts;
}

void add_document(TirFacts& facts, const tir::Document& document, const Deployment& deployment,
                  const StatedOwners& stated_owners) {
  const ModelLibrary& library = deployment.library();
  const auto stated = stated_owners.of(facts.source.stem);
  for (const tir::NamedFunction& one : tir::functions_of(document.module)) {
    const auto owner =
        stated ? std::optional(stated->modules.front()) : deployment.module_of_function(one.symbol);
    facts.functions.push_back(describe(one, owner, library));
  }
  facts.origin = document.source;
  facts.losses = document.losses;
}

void add_owners(TirFacts& facts, const TirOwners& owners, const ModelLibrary& library) {
  for (const std::size_t i : owners.modules) facts.modules.push_back(library.modules[i].name);
  if (owners.target != nullptr) facts.target = *owners.target;
}

TirFacts describe(const TirSource& source, const Deployment& deployment,
                  const StatedOwners& stated) {
  TirFacts facts{.source = source};
  const archive::Archive& archive = deployment.archive();
  const std::string json = std::string(source_directory(archive)) + source.stem + ".json";
  if (archive.find(json) != nullptr) facts.json_member = json;
  const auto document = deployment.document(source);
  if (!document) {
    facts.failure = document.error();
    return facts;
  }
  add_document(facts, **document, deployment, stated);
  // A readable source has owners.
  add_owners(facts, deployment.owners_of(source).value(), deployment.library());
  return facts;
}

}  // namespace
}  // namespace deployment

Inspection inspect(const Deployment& deployment) {
  Inspection inspection;
  if (auto networks = deployment.networks()) {
    inspection.networks = *std::move(networks);
  } else {
    inspection.networks_failure = std::move(networks.error());
  }
  for (const Module& module : deployment.library().modules) {
    // The networks already report a member that cannot be read.
    const auto entry = support::to_result(
        [&] { return deployment::entry_point_of(deployment.archive(), module); });
    inspection.entry_points.push_back(entry.value_or(std::nullopt));
  }
  const deployment::StatedOwners stated(deployment.library());
  for (const TirSource& source : deployment.tir_sources()) {
    inspection.tir.push_back(deployment::describe(source, deployment, stated));
  }
  return inspection;
}

const graph::Topology* Inspection::network_of(std::size_t module) const {
  return networks.of(module);
}

}  // namespace mlf
