#include "mlf/verify.h"

#include <algorithm>
#include <array>
#include <utility>

#include "deployment/network_search.h"
#include "mlf/graph/compare.h"
#include "process/job.h"
#include "process/verify_c.h"
#include "support/error.h"

namespace mlf::process {
namespace {

using graph::Severity;
using support::get_or_throw;

/// Three questions, in the order of the findings: is what mlf wrote intact, do the networks hold
/// together, does generated C say the same as captured TIR?
class Verifier {
 public:
  explicit Verifier(const Job& job) : job_(job) {}

  std::vector<Finding> run() &&;

 private:
  void check_outputs();
  void check_networks();
  void report_network(const Network& network);
  void compare_stage(const Networks& preferred, std::span<const TirSource* const> stage);
  void check_c();
  const std::string& name_of(std::size_t module) const { return job_.modules()[module].name; }

  const Job& job_;
  std::vector<Finding> findings_;
};

void Verifier::check_outputs() {
  if (!job_.previous) return;
  // Stale and damaged are different: the first needs another run, the second needs an explanation.
  if (job_.previous->inputs != job_.inputs) {
    findings_.push_back({.severity = Severity::error,
                         .code = FindingCode::stale_outputs,
                         .detail = "the archive has changed since mlf processed it"});
  }
  for (const Digest& written : job_.previous->written) {
    const auto state = state_of(job_.archive(), written);
    if (state == OutputState::intact) continue;
    findings_.push_back(
        {.severity = Severity::error,
         .code = FindingCode::damaged_output,
         .detail = written.name + (state == OutputState::missing
                                       ? " is missing"
                                       : " is not what mlf wrote into the archive")});
  }
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

/// Stages of one build are the same network at different times: names and kernels must agree,
/// memory need not.
void Verifier::compare_stage(const Networks& preferred, std::span<const TirSource* const> stage) {
  deployment::NetworkSearch search(job_.deployment);
  search.add_stage(stage);
  for (const Network& other : std::move(search).finish().found) {
    const auto same =
        std::find_if(preferred.found.begin(), preferred.found.end(),
                     [&](const Network& network) { return network.module == other.module; });
    // What only one stage shows has nothing to be compared with.
    if (same == preferred.found.end()) continue;
    const auto comparison = compare(same->topology, other.topology, graph::Relation::same_build);
    for (const std::string& difference : comparison.differences) {
      findings_.push_back({.severity = Severity::error,
                           .code = FindingCode::stage_mismatch,
                           .module = name_of(other.module),
                           .detail = "stage '" + stage.front()->stage +
                                     "' (second) shows another network: " + difference});
    }
  }
}

void Verifier::check_networks() {
  const Networks networks = get_or_throw(job_.deployment.networks());
  for (const Network& network : networks.found) report_network(network);
  for (const MissingNetwork& without : networks.missing) {
    findings_.push_back({.severity = Severity::note,
                         .code = FindingCode::no_network,
                         .module = name_of(without.module),
                         .detail = std::string(to_string(without.reason))});
  }
  const auto stages = deployment::by_stage(job_.deployment.tir_sources());
  // The first stage is the one that the networks come from.
  for (std::size_t i = 1; i < stages.size(); ++i) compare_stage(networks, stages[i]);
}

void Verifier::check_c() {
  for (Finding& finding : differences_from_c(job_)) {
    findings_.push_back(std::move(finding));
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
  // Opened like a run of `process` that changes nothing, and so without a lock.
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
  // By value of FindingCode; schemas/verify.schema.json lists them.
  static constexpr std::array<std::string_view, 6> kNames{"network-check",  "stage-mismatch",
                                                          "c-mismatch",     "stale-outputs",
                                                          "damaged-output", "no-network"};
  return kNames.at(static_cast<std::size_t>(code));
}

Result<std::vector<Finding>> verify_archive(const std::string& path, const VerifyOptions& options) {
  return support::to_result([&] { return process::verify(path, options); })
      .map_error([&](Diagnostics diagnostics) { return in_file(std::move(diagnostics), path); });
}

}  // namespace mlf
