#include "deployment/contradictions.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "deployment/member_text.h"
#include "deployment/network_search.h"
#include "mlf/inspection.h"
#include "support/error.h"
#include "support/name_map.h"
#include "tir/c/compilable.h"

namespace mlf {
namespace deployment {
namespace {

/// A file with its content, for messages with a place.
support::SourceText source_of(const archive::Archive& archive, const FileRef& file) {
  return {archive.path(), file.name, member_text(archive, file)};
}

bool is_c(const FileRef& file) {
  return file.name.ends_with(".c");
}

/// Whether the counted bytes of the claim are a certain lower bound.
bool is_evidence(const MemoryClaim& claim) {
  return claim.found.exactness == graph::Exactness::exact ||
         claim.found.exactness == graph::Exactness::at_least;
}

bool is_about_memory(graph::CheckCode code) {
  return code == graph::CheckCode::storage_too_small || code == graph::CheckCode::storage_overlap;
}

bool is_listed(const graph::Topology& network, const graph::Check& check) {
  return std::ranges::any_of(network.checks, [&](const graph::Check& known) {
    return known.code == check.code && known.detail == check.detail;
  });
}

}  // namespace

std::optional<Contradiction> too_small_metadata(const Module& module,
                                                const graph::Topology& network) {
  if (module.targets.size() > 1) return std::nullopt;
  for (const MemoryClaim& claim : memory_claims(module, network)) {
    if (claim.kind != ClaimKind::workspace || claim.reason_code || !is_evidence(claim)) continue;
    if (claim.claimed >= claim.found.bytes) continue;
    return Contradiction{"metadata-too-small",
                         fmt::format("metadata.json says that main has {} bytes of workspace, and "
                                     "the network uses {}",
                                     claim.claimed, claim.found.bytes)};
  }
  return std::nullopt;
}

std::vector<graph::Check> errors_of_c(const Deployment& deployment, std::size_t module,
                                      const graph::Topology& network) {
  const graph::Provenance& provenance = network.provenance;
  const bool is_captured = provenance.kind == graph::ProvenanceKind::main_function &&
                           provenance.dialect != tir::Dialect::c;
  // A size that the caller states applies to the captured network.
  if (!is_captured || !deployment.pool_sizes().empty()) return {};
  std::vector<const TirSource*> sources;
  for (const TirSource& source : support::get_or_throw(deployment.generated_c(module))) {
    sources.push_back(&source);
  }
  if (sources.empty()) return {};
  NetworkSearch search(deployment, module);
  search.add_stage(sources);
  std::vector<graph::Check> errors;
  for (const Network& found : std::move(search).finish().found) {
    for (const graph::Check& check : found.topology.checks) {
      if (is_about_memory(check.code) && !is_listed(network, check)) {
        errors.push_back({check.code, "in the generated C, " + check.detail, {}, {}});
      }
    }
  }
  return errors;
}

std::vector<Contradiction> invalid_c(const Deployment& deployment, const Module& module) {
  std::vector<support::SourceText> headers;
  for (const FileRef& header : module.files.headers) {
    headers.push_back(source_of(deployment.archive(), header));
  }
  std::vector<Contradiction> found;
  for (const FileRef& file : module.files.sources) {
    if (!is_c(file)) continue;
    const auto source = source_of(deployment.archive(), file);
    for (const tir::c::CFault& fault : tir::c::compilation_faults(source, headers)) {
      found.push_back(
          {"c-invalid", fmt::format("{}:{}:{}: {}", fault.where.member, fault.where.line,
                                    fault.where.column, fault.message)});
    }
  }
  // A header is read once for each file that may include it.
  std::vector<Contradiction> once;
  support::NameSet<std::string> details;
  for (Contradiction& one : found) {
    if (details.insert(one.detail).second) once.push_back(std::move(one));
  }
  return once;
}

}  // namespace deployment

std::vector<Contradiction> contradictions_of(const Deployment& deployment, std::size_t module,
                                             const graph::Topology* network) {
  const Module& about = deployment.library().modules.at(module);
  std::vector<Contradiction> all;
  if (network != nullptr) {
    for (const graph::Check& check : network->checks) {
      const graph::CheckInfo& code = info(check.code);
      if (code.severity != graph::Severity::error) continue;
      all.push_back({std::string(code.code), check.detail});
    }
    for (graph::Check& check : deployment::errors_of_c(deployment, module, *network)) {
      all.push_back({std::string(info(check.code).code), std::move(check.detail)});
    }
    if (auto small = deployment::too_small_metadata(about, *network)) {
      all.push_back(*std::move(small));
    }
  }
  std::ranges::move(deployment::invalid_c(deployment, about), std::back_inserter(all));
  return all;
}

}  // namespace mlf
