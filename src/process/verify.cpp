#include "mlf/verify.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

#include "compile/object_file.h"
#include "deployment/agreement.h"
#include "deployment/contradictions.h"
#include "deployment/member_text.h"
#include "deployment/network_search.h"
#include "graph/compare.h"
#include "graph/node_queries.h"
#include "json/text.h"
#include "json/write_document.h"
#include "process/job.h"
#include "support/error.h"
#include "support/lookup.h"
#include "support/name_map.h"
#include "support/nearest.h"

namespace mlf::process {
namespace {

using graph::Severity;
using support::get_or_throw;

struct FindingRow {
  std::string_view code;
  Severity severity;  ///< of a check of a network: its own
};
// By value of FindingCode; schemas/verify.schema.json lists the codes.
constexpr FindingRow kFindings[] = {
    {"network-check", Severity::error},      {"stage-mismatch", Severity::error},
    {"c-mismatch", Severity::error},         {"c-type", Severity::warning},
    {"stale-outputs", Severity::error},      {"damaged-output", Severity::error},
    {"no-network", Severity::note},          {"not-compared", Severity::warning},
    {"metadata-too-small", Severity::error}, {"c-invalid", Severity::error},
    {"missing-file", Severity::note},        {"missing-main", Severity::error},
    {"object-damaged", Severity::error},
};

/// Code and claim, by value of VerifyCheck.
constexpr std::array kChecks = {
#define MLF_VERIFY_CHECK(name, code, claim) \
  std::pair(std::string_view(code), std::string_view(claim)),
#include "mlf/verify_checks.def"
#undef MLF_VERIFY_CHECK
};

bool uses_half(const tir::Module& module) {
  for (std::uint32_t i = 1; i < module.size(); ++i) {
    const tir::Node node = module.node(static_cast<tir::NodeId>(i));
    if (node.category() != tir::Category::expr) continue;
    if (node.dtype().element() == tir::DType::Float(16)) return true;
  }
  return false;
}

constexpr const char* kNoManifest = "mlf has not processed the archive";

/// Files beside the archive that the earlier run read and this run was not given.
std::vector<std::string> files_not_given(const Inputs& then, const Inputs& now) {
  std::vector<std::string> missing;
  for (const FileDigest& file : then.files) {
    if (std::ranges::find(now.files, file.name, &FileDigest::name) == now.files.end()) {
      missing.push_back(file.name);
    }
  }
  return missing;
}

/// Whether the archive still has the inputs that mlf read.
bool is_unchanged(const Job& job, const FileDigest& member) {
  return state_of(job.archive(), member) == OutputState::intact;
}

/// Three checks, in the order of the findings: members of mlf are intact, networks are consistent,
/// and generated C agrees with captured TIR.
class Verifier {
 public:
  explicit Verifier(const Job& job) : job_(job) {}

  Verification run() && {
    VerifyResult& tir = start(VerifyCheck::tir);
    tir.passed = job_.deployment.tir_sources().size();  // an unreadable one is an error
    if (tir.counted() == 0) tir.not_checked = "the archive has no TIR and no generated C";
    check_inputs();
    check_outputs();
    const Networks networks = check_networks();
    check_c(networks);
    check_declarations(networks);
    check_objects();
    start(VerifyCheck::compilation).not_checked = "mlf reads C and runs no compiler";
    return {std::move(findings_), std::move(checks_)};
  }

 private:
  VerifyResult& start(VerifyCheck check) {
    checks_.push_back({.check = check});
    return checks_.back();
  }

  void report(FindingCode code, std::string detail, const std::string& module = {}) {
    findings_.push_back({.severity = kFindings[static_cast<std::size_t>(code)].severity,
                         .code = code,
                         .module = module,
                         .detail = std::move(detail)});
  }

  // Stale (here) and damaged (below) are different: the first needs another run, the second an
  // explanation. Without a given file, other members are read instead, so only the earlier inputs
  // can be checked.
  void check_inputs() {
    VerifyResult& result = start(VerifyCheck::inputs);
    if (!job_.previous) {
      result.not_checked = kNoManifest;
      return;
    }
    const Inputs& then = job_.previous->inputs;
    // The options of the earlier run determine the form of constants.
    const Inputs now = job_.inputs(then.constants);
    const auto missing = files_not_given(then, now);
    std::vector<std::string> changed;
    const auto count = [&](const FileDigest& file, bool is_same) {
      ++(is_same ? result.passed : result.failed);
      if (!is_same) changed.push_back("'" + file.name + "'");
    };
    for (const FileDigest& member : then.members) count(member, is_unchanged(job_, member));
    for (const FileDigest& file : then.files) {
      if (std::ranges::find(missing, file.name) != missing.end()) continue;
      count(file, std::ranges::count(now.files, file) != 0);
    }
    for (const std::string& file : missing) {
      report(FindingCode::missing_file, "mlf processed the archive with '" + file +
                                            "', a file beside it, which --tir has to give again");
    }
    if (missing.empty() ? then == now : result.failed == 0) return;
    const support::NameIndex read(then.members, &FileDigest::name);
    for (const FileDigest& member : now.members) {
      if (read.find(member.name) == nullptr) count(member, false);
    }
    result.failed = std::max<std::size_t>(result.failed, 1);
    report(FindingCode::stale_outputs, "the archive has changed since mlf processed it" +
                                           (changed.empty() ? "" : ": " + some_of(changed)));
  }

  void check_outputs() {
    VerifyResult& result = start(VerifyCheck::outputs);
    if (!job_.previous) {
      const std::string manifest = job_.names.manifest();
      const archive::Member* const member = job_.archive().find(manifest);
      const bool is_cut = member != nullptr && member->type == archive::MemberType::file &&
                          is_cut_manifest(get_or_throw(job_.archive().read(*member)));
      if (!is_cut) {
        result.not_checked = kNoManifest;
        return;
      }
      ++result.failed;
      return report(FindingCode::damaged_output,
                    manifest + " is not what mlf wrote into the archive");
    }
    for (const FileDigest& written : job_.previous->written) {
      const auto state = state_of(job_.archive(), written);
      ++(state == OutputState::intact ? result.passed : result.failed);
      if (state == OutputState::intact) continue;
      report(FindingCode::damaged_output,
             written.name + (state == OutputState::missing
                                 ? " is missing"
                                 : " is not what mlf wrote into the archive"));
    }
  }

  void report_network(const Network& network) {
    const bool is_understood = network.topology.is_understood();
    for (const graph::Check& check : network.topology.checks) {
      const Severity severity = info(check.code).severity;
      const bool is_proof = severity != Severity::error || is_understood;
      findings_.push_back({.severity = is_proof ? severity : Severity::warning,
                           .code = FindingCode::network_check,
                           .check = check.code,
                           .module = name_of(network.module),
                           .detail = check.detail});
    }
    const bool is_seen = report_unread(network) && is_understood;
    VerifyResult& result = checks_.back();
    if (is_understood && !network.topology.is_sound()) {
      ++result.failed;
    } else if (is_seen) {
      ++result.passed;
    } else {
      result.not_compared.push_back(name_of(network.module));
    }
  }

  /// Whether all functions of the network are understood: its checks do not see what others do.
  /// Checks of the network name functions without TIR.
  bool report_unread(const Network& network) {
    std::vector<std::string> unread;
    std::set<std::string_view> sources;
    for (const graph::Kernel& kernel : network.topology.kernels) {
      sources.insert(kernel.source);
      if (kernel.gaps.empty()) continue;
      unread.push_back(graph::quoted(kernel.symbol) + " (" + kernel.gaps.front() + ")");
    }
    for (const std::string_view stem : sources) add_unread_declarations(stem, unread);
    if (!unread.empty()) {
      report(FindingCode::not_compared,
             "the checks of the network do not cover what is not understood: " + some_of(unread, 3),
             name_of(network.module));
    }
    return std::ranges::all_of(network.topology.kernels, &graph::Kernel::is_understood);
  }

  /// Pools and arrays of generated C.
  void add_unread_declarations(std::string_view stem, std::vector<std::string>& unread) const {
    const TirSource* const source = job_.deployment.find_tir(stem);
    if (source == nullptr || !source->c) return;
    const auto document = get_or_throw(job_.deployment.document(*source));
    for (const tir::Loss& loss : document->losses) {
      const bool is_declaration =
          loss.code == tir::LossCode::unknown_construct && loss.scope == tir::LossScope::module;
      if (is_declaration) support::add_once(unread, loss.name);
    }
  }

  /// Stages of one build show the same network at different times: names and kernels must agree,
  /// memory need not.
  void compare_stage(const Networks& preferred, std::span<const TirSource* const> stage) {
    deployment::NetworkSearch search(job_.deployment);
    search.add_stage(stage);
    for (const Network& other : std::move(search).finish().found) {
      const graph::Topology* same = preferred.of(other.module);
      // What only one stage shows has nothing to be compared with, nor does C that was edited.
      const auto is_c = [](const graph::Topology& one) {
        return one.provenance.dialect == tir::Dialect::c;
      };
      if (same == nullptr || is_c(*same) != is_c(other.topology)) continue;
      const auto differences = graph::differences_between(*same, other.topology);
      ++(differences.empty() ? checks_.back().passed : checks_.back().failed);
      for (const std::string& difference : differences) {
        report(FindingCode::stage_mismatch,
               "stage '" + stage.front()->stage + "' (second) shows another network: " + difference,
               name_of(other.module));
      }
    }
  }

  Networks check_networks() {
    Networks networks = get_or_throw(job_.deployment.networks());
    if (start(VerifyCheck::network); networks.found.empty()) {
      checks_.back().not_checked = "no module has a network";
    }
    for (const Network& network : networks.found) report_network(network);
    for (const MissingNetwork& without : networks.missing) {
      report(FindingCode::no_network, std::string(to_string(without.reason)),
             name_of(without.module));
    }
    const auto stages = deployment::by_stage(job_.deployment.tir_sources());
    if (start(VerifyCheck::stages); stages.size() < 2) {
      checks_.back().not_checked = "the archive shows one stage at most";
    }
    // The networks come from the first stage.
    for (std::size_t i = 1; i < stages.size(); ++i) compare_stage(networks, stages[i]);
    return networks;
  }

  void check_c(const Networks& networks) {
    VerifyResult& result = start(VerifyCheck::generated_c);
    std::string why_not;
    const auto agreement = get_or_throw(job_.deployment.agreement());
    result.passed = agreement->agreeing;
    result.failed = agreement->differing;
    result.not_compared = agreement->not_compared;
    for (const auto& compared : agreement->comparisons) {
      report_comparison(*agreement, compared, networks.of(compared.module), why_not);
    }
    if (result.passed + result.failed == 0) {
      result.not_checked =
          why_not.empty() ? "no function has both captured TIR and C" : std::move(why_not);
    }
    check_types();
  }

  void report_comparison(const deployment::Agreement& agreement,
                         const deployment::ComparedWithC& compared, const graph::Topology* network,
                         std::string& why_not) {
    const std::string& module = name_of(compared.module);
    if (!compared.is_comparable()) {
      const std::string reason = compared.other_stage.empty()
                                     ? "it is of another build: " + compared.other_build
                                     : compared.other_stage;
      if (why_not.empty()) why_not = compared.captured->name + ": " + reason;
      return report(FindingCode::not_compared,
                    compared.captured->name + " was not compared with the generated C, " +
                        compared.c->name + ", because " + reason,
                    module);
    }
    if (why_not.empty() && !compared.unread.empty()) {
      why_not = compared.c->name + " is not understood: " + compared.unread.begin()->second;
    }
    const auto are_proofs = deployment::are_proofs(agreement, compared, network);
    for (std::size_t i = 0; i < are_proofs.size(); ++i) {
      report(FindingCode::c_mismatch, deployment::sentence_of(compared, compared.differences[i]),
             module);
      if (!are_proofs[i]) findings_.back().severity = Severity::warning;
    }
  }

  /// TVM prints float16 as `half` for every target with C, and only CUDA and OpenCL have this type.
  void check_types() {
    for (std::size_t i = 0; i < job_.modules().size(); ++i) {
      const auto header = deployment::missing_header(job_.deployment, job_.modules()[i]);
      if (header) {
        // The application may have it.
        const std::string why =
            header->similar.empty()
                ? "no member is"
                : fmt::format("is '{}' here: it compiles only where file names have no case",
                              header->similar);
        report(FindingCode::c_invalid,
               fmt::format("{} includes '{}', which {}", header->file, header->path, why),
               name_of(i));
        findings_.back().severity = Severity::warning;
      }
      for (const TirSource& c : get_or_throw(job_.deployment.generated_c(i))) {
        if (!uses_half(get_or_throw(job_.deployment.document(c))->module)) continue;
        report(FindingCode::c_type,
               "the generated C, " + c.name +
                   ", uses the type half, which C does not have: it compiles only where a "
                   "header defines it",
               name_of(i));
      }
    }
  }

  /// Numbers and declarations of each module, from `contradictions_of`.
  void check_declarations(const Networks& networks) {
    VerifyResult& metadata = start(VerifyCheck::metadata);
    const bool has_metadata = job_.deployment.library().has_metadata();
    if (!has_metadata) metadata.not_checked = "the archive has no metadata.json";
    for (const Network& network : networks.found) {
      if (!has_metadata) break;
      const auto workspace =
          deployment::comparable_workspace(job_.modules()[network.module], network.topology);
      if (!workspace) {
        metadata.not_compared.push_back(name_of(network.module));
        continue;
      }
      const auto small = deployment::too_small_metadata(*workspace, network.topology);
      ++(small ? metadata.failed : metadata.passed);
      if (small) report(FindingCode::metadata_too_small, small->detail, name_of(network.module));
    }
    for (std::size_t i = 0; i < job_.modules().size(); ++i) {
      if (job_.modules()[i].memory.operators.empty()) continue;
      const auto faults = deployment::operator_faults(job_.deployment, i);
      ++(faults.empty() ? metadata.passed : metadata.failed);
      for (const Contradiction& fault : faults) {
        report(FindingCode::network_check, fault.detail, name_of(i));
        findings_.back().check = graph::CheckCode::io_mismatch;
      }
    }
    if (has_metadata && metadata.passed + metadata.failed == 0) {
      metadata.not_compared.clear();
      metadata.not_checked = networks.found.empty()
                                 ? "no module has a network"
                                 : "no workspace that it declares can be compared";
    }
    VerifyResult& declarations = start(VerifyCheck::declarations);
    for (const Module& module : job_.modules()) {
      if (module.files.sources.empty()) continue;
      const auto faults = deployment::invalid_c(job_.deployment, module);
      ++(faults.empty() ? declarations.passed : declarations.failed);
      for (const Contradiction& fault : faults) {
        const bool is_of_linker = fault.code == to_string(FindingCode::missing_main);
        report(is_of_linker ? FindingCode::missing_main : FindingCode::c_invalid, fault.detail,
               module.name);
      }
    }
    if (declarations.counted() == 0) declarations.not_checked = "the archive has no generated C";
  }

  void check_objects() {
    for (const Module& module : job_.modules()) {
      for (const FileRef& file : module.files.objects) {
        const std::string_view bytes = deployment::member_text(job_.archive(), file);
        const auto whole = support::to_result(
            [&] { return compile::require_whole_objects(bytes, {.member = file.name}); });
        if (!whole)
          report(FindingCode::object_damaged,
                 whole.error().where.member + ": " + whole.error().message, module.name);
      }
    }
  }

  const std::string& name_of(std::size_t module) const { return job_.modules()[module].name; }

  const Job& job_;
  std::vector<VerifyFinding> findings_;
  std::vector<VerifyResult> checks_;
};

// Names of files may have any bytes, and findings quote them.

void write_finding(json::Writer& out, const VerifyFinding& finding) {
  out.member("severity", to_string(finding.severity));
  out.member("code", code_of(finding));
  out.text_or_null("module", finding.module);
  out.member("detail", json::valid_utf8(finding.detail));
}

void write_check(json::Writer& out, const VerifyResult& result) {
  out.member("code", to_string(result.check));
  out.member("passed", result.passed);
  out.member("failed", result.failed);
  out.member("not_compared", result.not_compared);
  out.text_or_null("not_checked", result.not_checked);
}

void write_archive(json::Writer& out, const VerifiedArchive& archive) {
  out.member("archive", json::valid_utf8(archive.path));
  out.member("passed", archive.verification.passed());
  out.objects("findings", archive.verification.findings, write_finding);
  out.objects("checks", archive.verification.checks, write_check);
}

Verification verify(const std::string& path, const VerifyOptions& options) {
  ProcessOptions reading;
  reading.tir_files = options.tir_files;
  // Opens the archive like a run of `process` that changes nothing, so without a lock.
  reading.effect = Effect::dry_run;
  reading.archive_limits = options.archive_limits;
  reading.tir_limits = options.tir_limits;
  reading.macros = options.macros;
  const Job job = prepare(path, reading);
  Verification verification = Verifier(job).run();
  if (options.needs_origin) verification.origin = get_or_throw(job.deployment.origin());
  return verification;
}

}  // namespace
}  // namespace mlf::process

namespace mlf {

std::string_view to_string(FindingCode code) {
  return process::kFindings[static_cast<std::size_t>(code)].code;
}

std::string_view code_of(const VerifyFinding& finding) {
  return finding.code == FindingCode::network_check ? info(finding.check).code
                                                    : to_string(finding.code);
}

std::string_view to_string(VerifyCheck check) {
  return process::kChecks.at(static_cast<std::size_t>(check)).first;
}

std::string_view claim_of(VerifyCheck check) {
  return process::kChecks.at(static_cast<std::size_t>(check)).second;
}

bool Verification::passed() const noexcept {
  return std::ranges::none_of(findings, [](const VerifyFinding& finding) {
    return finding.severity == graph::Severity::error;
  });
}

Result<Verification> verify_archive(const std::string& path, const VerifyOptions& options) {
  return support::to_result_in(path, [&] { return process::verify(path, options); });
}

std::string to_json(std::span<const VerifiedArchive> archives, const DocumentForm& form) {
  DocumentForm with_origins = form;
  for (const VerifiedArchive& one : archives) {
    with_origins.origin.archives.push_back(one.verification.origin);
  }
  return json::document_text(with_origins, "mlf-verify", kVerifyVersion, [&](json::Writer& out) {
    out.objects("archives", archives, process::write_archive);
  });
}

}  // namespace mlf
