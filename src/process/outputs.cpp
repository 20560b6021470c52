#include "process/outputs.h"

#include <set>
#include <utility>

#include "deployment/network_search.h"
#include "process/output_names.h"
#include "support/error.h"

namespace mlf::process {
namespace {

class OutputWriter {
 public:
  OutputWriter(Job& job, Outputs& outputs) : job_(job), outputs_(outputs) {}

  void make();

 private:
  void make_stage(std::span<const TirSource* const> stage, deployment::NetworkSearch& search);
  void make_network(const Network& network);
  void make_manifest();
  void report(const Networks& networks);
  void keep(std::vector<Output> made);

  Job& job_;
  Outputs& outputs_;
  Manifest manifest_{job_.inputs, {}, {}, {}};
};

void OutputWriter::keep(std::vector<Output> made) {
  for (Output& output : made) {
    manifest_.written.push_back({output.name, output.content.sha256});
    outputs_.list.push_back(std::move(output));
  }
}

/// Documents are large: those of one stage are let go before the next is read.
void OutputWriter::make_stage(std::span<const TirSource* const> stage,
                              deployment::NetworkSearch& search) {
  for (const TirSource* source : stage) {
    auto [made, entry] = render_tir(*source, job_, outputs_.spool);
    manifest_.tir.push_back(std::move(entry));
    keep(std::move(made));
  }
  search.add_stage(stage);
  job_.deployment.release_documents();
}

void OutputWriter::make_network(const Network& network) {
  auto [made, entry] = render_network(network, job_, outputs_.spool);
  manifest_.networks.push_back(std::move(entry));
  keep(std::move(made));
}

void OutputWriter::make_manifest() {
  const SpooledBytes text =
      outputs_.spool.add([&](support::ByteSink& out) { write_manifest(manifest_, out); });
  outputs_.list.push_back({std::string(kManifestName), &job_.metadata(), text});
}

NetworkReport report_on(const graph::Topology& topology, std::string module) {
  NetworkReport report{.module = std::move(module), .calls = topology.calls.size()};
  for (const graph::Check& check : topology.checks) {
    if (info(check.code).severity != graph::Severity::error) continue;
    if (report.failed_checks++ == 0) report.first_failure = check.detail;
  }
  return report;
}

void OutputWriter::report(const Networks& networks) {
  const auto name_of = [&](std::size_t module) { return job_.modules()[module].name; };
  for (const Network& network : networks.found) {
    outputs_.networks.push_back(report_on(network.topology, name_of(network.module)));
  }
  for (const MissingNetwork& without : networks.missing) {
    outputs_.networks.push_back({.module = name_of(without.module), .reason = without.reason});
  }
}

/// A module's name is part of the names of its members, and modules are named by whoever exports.
void refuse_equal_names(const std::vector<Output>& outputs, const std::string& file) {
  std::set<std::string_view> names;
  for (const Output& output : outputs) {
    if (names.insert(output.name).second) continue;
    Location where;
    where.file = file;
    where.member = output.name;
    throw support::Error(ErrorKind::invalid_input,
                         "the names of a module and of a TIR stage lead to one member", where);
  }
}

void OutputWriter::make() {
  deployment::NetworkSearch search(job_.deployment);
  for (const auto& stage : deployment::by_stage(job_.deployment.tir_sources())) {
    make_stage(stage, search);
  }
  const Networks networks = std::move(search).finish();
  for (const Network& network : networks.found) make_network(network);
  report(networks);
  refuse_equal_names(outputs_.list, job_.archive().path());
  if (!outputs_.list.empty()) make_manifest();
}

}  // namespace

void make_outputs(Job& job, Outputs& outputs) {
  OutputWriter(job, outputs).make();
}

}  // namespace mlf::process
