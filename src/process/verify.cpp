#include "mlf/verify.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "deployment/c_sources.h"
#include "deployment/tir_name.h"
#include "mlf/graph/compare.h"
#include "mlf/networks.h"
#include "mlf/tir/compare.h"
#include "process/job.h"
#include "support/error.h"

namespace mlf::process {
namespace {

using graph::Severity;
using support::value_of;

/// Functions of one target may be spread over several captures, or over several files of C.
bool is_missing_function(const tir::Difference& difference) {
  return difference.path.starts_with("functions[") && difference.path.ends_with("\"]") &&
         (difference.left == "missing" || difference.right == "missing");
}

class Verifier {
 public:
  explicit Verifier(const Job& job) : job_(job) {}

  std::vector<Finding> run() &&;

 private:
  void check_outputs();
  void check_networks();
  Networks networks_of(std::span<const TirSource> stage) const;
  void report_network(const Network& network);
  void compare_stage(const Networks& preferred, std::span<const TirSource> stage);
  void check_c();
  void compare_c(std::size_t module, const TirSource& c);
  std::optional<tir::Document> captured(std::size_t module, const Target* target) const;
  const std::string& name_of(std::size_t module) const { return job_.library.modules[module].name; }

  const Job& job_;
  std::vector<Finding> findings_;
};

void Verifier::check_outputs() {
  if (!job_.previous) return;
  if (job_.previous->inputs != job_.inputs) {
    findings_.push_back({.severity = Severity::error,
                         .code = FindingCode::stale_outputs,
                         .detail = "the archive has changed since mlf processed it"});
  }
  for (const Digest& written : job_.previous->written) {
    const auto state = state_of(job_.archive, written);
    if (state == OutputState::intact) continue;
    findings_.push_back(
        {.severity = Severity::error,
         .code = FindingCode::damaged_output,
         .detail = written.name + (state == OutputState::missing
                                       ? " is missing"
                                       : " is not what mlf wrote into the archive")});
  }
}

Networks Verifier::networks_of(std::span<const TirSource> stage) const {
  return value_of(find_networks(job_.archive, job_.library, stage, job_.options.tir_limits));
}

void Verifier::report_network(const Network& network) {
  for (const graph::Check& check : network.topology.checks) {
    findings_.push_back({.severity = info(check.code).severity,
                         .code = FindingCode::network_check,
                         .check = check.code,
                         .module = name_of(network.module),
                         .detail = check.detail});
  }
}

void Verifier::compare_stage(const Networks& preferred, std::span<const TirSource> stage) {
  for (const Network& other : networks_of(stage).found) {
    const auto same =
        std::find_if(preferred.found.begin(), preferred.found.end(),
                     [&](const Network& network) { return network.module == other.module; });
    if (same == preferred.found.end()) continue;
    const auto comparison = compare(same->topology, other.topology, graph::Relation::same_build);
    for (const std::string& difference : comparison.differences) {
      findings_.push_back({.severity = Severity::error,
                           .code = FindingCode::stage_mismatch,
                           .module = name_of(other.module),
                           .detail = "stage '" + stage.front().stage +
                                     "' (second) shows another network: " + difference});
    }
  }
}

void Verifier::check_networks() {
  const auto stages = by_stage(job_.sources);
  const Networks networks = networks_of(job_.sources);
  for (const Network& network : networks.found) report_network(network);
  for (const ModuleWithout& without : networks.missing) {
    findings_.push_back({.severity = Severity::note,
                         .code = FindingCode::no_network,
                         .module = name_of(without.module),
                         .detail = std::string(to_string(without.reason))});
  }
  for (std::size_t i = 1; i < stages.size(); ++i) compare_stage(networks, stages[i]);
}

/// The TIR of one module and target as it was captured, without loss: texts have names of their own
/// and leave out what C still says.
std::optional<tir::Document> Verifier::captured(std::size_t module, const Target* target) const {
  for (const TirSource& source : job_.sources) {
    if (source.c || source.stage != deployment::kDefaultStage) continue;
    tir::Document document = value_of(read_tir(source, job_.library, job_.options.tir_limits));
    const Ownership owners = owners_of(document.module, source.stem, job_.library);
    if (document.source.dialect != tir::Dialect::save_json) continue;
    if (owners.modules == std::vector{module} && owners.target == target) return document;
  }
  return std::nullopt;
}

void Verifier::compare_c(std::size_t module, const TirSource& c) {
  const tir::Document printed = value_of(read_tir(c, job_.library, job_.options.tir_limits));
  const Target* target = owners_of(printed.module, c.stem, job_.library).target;
  const auto document = captured(module, target);
  if (!document) return;
  const tir::VersionRange& version = printed.source.tvm_version;
  // The captured text may have lost what the C still says, never the other way round.
  const tir::Comparison comparison =
      tir::compare(tir::c_normal_form(printed.module, version).module,
                   tir::c_normal_form(document->module, version).module,
                   tir::Tolerance::of(document->source.dialect));
  for (const tir::Difference& difference : comparison.differences) {
    if (is_missing_function(difference)) continue;
    findings_.push_back({.severity = Severity::error,
                         .code = FindingCode::c_mismatch,
                         .module = name_of(module),
                         .detail = document->source.member + " and the generated C, " + c.name +
                                   " (second), differ: " + to_string(difference)});
  }
}

/// Where the archive has both, the TIR that was captured and the C that was generated from it.
void Verifier::check_c() {
  for (std::size_t i = 0; i < job_.library.modules.size(); ++i) {
    for (const TirSource& c : deployment::generated_c(job_.archive, job_.library.modules[i], {})) {
      compare_c(i, c);
    }
  }
}

std::vector<Finding> Verifier::run() && {
  check_outputs();
  check_networks();
  check_c();
  return std::move(findings_);
}

std::vector<Finding> verify(const std::string& path, const VerifyOptions& options) {
  ProcessOptions reading;
  reading.tir_files = options.tir_files;
  reading.effect = Effect::dry_run;
  reading.archive_limits = options.archive_limits;
  reading.tir_limits = options.tir_limits;
  Job job = prepare(path, reading);
  // What the constants of an earlier run look like is that run's choice.
  if (job.previous) job.inputs.constants = job.previous->inputs.constants;
  return Verifier(job).run();
}

}  // namespace
}  // namespace mlf::process

namespace mlf {

std::string_view to_string(FindingCode code) {
  static constexpr std::array<std::string_view, 6> kNames{"network-check",  "stage-mismatch",
                                                          "c-mismatch",     "stale-outputs",
                                                          "damaged-output", "no-network"};
  return kNames.at(static_cast<std::size_t>(code));
}

Result<std::vector<Finding>> verify_archive(const std::string& path, const VerifyOptions& options) {
  return support::at_door([&] { return process::verify(path, options); })
      .map_error([&](Diagnostics diagnostics) { return in_file(std::move(diagnostics), path); });
}

}  // namespace mlf
