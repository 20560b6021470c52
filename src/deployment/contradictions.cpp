#include "deployment/contradictions.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "deployment/agreement.h"
#include "deployment/member_text.h"
#include "deployment/owners.h"
#include "mlf/inspection.h"
#include "support/error.h"
#include "support/name_map.h"
#include "tir/c/c.h"
#include "tir/c/read/declaration_faults.h"

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

/// The workspace that the network certainly uses as TVM counts it: heap and stack may have their
/// peaks at different calls, and parameters that the graph executor copies are no workspace.
std::uint64_t least_workspace(const graph::Topology& network) {
  const graph::MemoryTotals totals = graph::memory_totals(network);
  const std::uint64_t parameters = std::min(totals.executor.bytes, totals.constants.bytes);
  return totals.pools.bytes + totals.executor.bytes - parameters +
         std::max(totals.heap.bytes, totals.stack.bytes);
}

/// Whether a text defines the function, be it under a condition.
bool defines(std::string_view text, const std::string& function, const tir::MacroValues& macros) {
  const tir::CFile file = tir::describe_c(text, macros);
  return std::ranges::find(file.definitions, function, &tir::CDefinition::symbol) !=
         file.definitions.end();
}

/// Main is called, and the file that defines it is not there: a linker needs it. That is proven if
/// the caller alone names main, as any other file may define it by a macro or an inclusion.
std::optional<Contradiction> missing_main(const Deployment& deployment, const Module& module) {
  if (!module.files.objects.empty()) return std::nullopt;
  const archive::Archive& archive = deployment.archive();
  const std::string prefix = "tvmgen_" + symbol_part(module.name);
  for (const std::string_view end : {"___tvm_main__", "_run_model"}) {
    const std::string main = prefix + std::string(end);
    std::vector<const archive::Member*> naming;
    for (const archive::Member& member : archive.members()) {
      const bool is_file = member.type == archive::MemberType::file;
      if (!is_file || !member.name.starts_with("codegen/")) continue;
      const std::string_view text = support::get_or_throw(archive.read(member));
      if (text.find(main) != text.npos) naming.push_back(&member);
    }
    if (naming.size() != 1) continue;
    const std::string_view text = support::get_or_throw(archive.read(*naming.front()));
    const bool is_called = tir::references_of(text, deployment.macros()).called.contains(main);
    if (!is_called || defines(text, main, deployment.macros())) continue;
    return Contradiction{"missing-main", fmt::format("{} calls '{}', which no member defines",
                                                     naming.front()->name, main)};
  }
  return std::nullopt;
}

}  // namespace

std::optional<Contradiction> too_small_metadata(const Module& module,
                                                const graph::Topology& network) {
  if (module.targets.size() > 1) return std::nullopt;
  // TVM leaves out parameters and adds the largest workspace of a kernel, which objects do not
  // show.
  const bool is_graph = network.provenance.kind == graph::ProvenanceKind::graph_json;
  if (is_graph && !std::ranges::all_of(network.kernels, &graph::Kernel::has_tir)) {
    return std::nullopt;
  }
  for (const MemoryClaim& claim : memory_claims(module, network)) {
    if (claim.kind != ClaimKind::workspace || claim.reason_code || !is_evidence(claim)) continue;
    const std::uint64_t used = least_workspace(network);
    if (claim.claimed >= used) continue;
    return Contradiction{"metadata-too-small",
                         fmt::format("metadata.json says that main has {} bytes of workspace, and "
                                     "the network uses {}",
                                     claim.claimed, used)};
  }
  return std::nullopt;
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
    for (const tir::c::DeclarationFault& fault :
         tir::c::declaration_faults(source, headers, deployment.macros())) {
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
  if (auto missing = missing_main(deployment, module)) once.push_back(*std::move(missing));
  return once;
}

}  // namespace deployment

std::vector<Contradiction> contradictions_of(const Deployment& deployment, std::size_t module,
                                             const graph::Topology* network) {
  const Module& about = deployment.library().modules.at(module);
  std::vector<Contradiction> all;
  if (network != nullptr) {
    const bool is_understood = network->is_understood();
    for (const graph::Check& check : network->checks) {
      const graph::CheckInfo& code = info(check.code);
      if (code.severity != graph::Severity::error || !is_understood) continue;
      all.push_back({std::string(code.code), check.detail});
    }
    if (auto small = deployment::too_small_metadata(about, *network)) {
      all.push_back(*std::move(small));
    }
  }
  for (const auto& compared : support::get_or_throw(deployment.agreement())->comparisons) {
    if (compared.module != module || !compared.is_comparable()) continue;
    for (const tir::Difference& difference : compared.differences) {
      if (!deployment::is_proof(difference, network)) continue;
      all.push_back({"c-mismatch", deployment::sentence_of(compared, difference)});
    }
  }
  std::ranges::move(deployment::invalid_c(deployment, about), std::back_inserter(all));
  return all;
}

}  // namespace mlf
