#include "process/outputs.h"

#include <set>
#include <utility>

#include "mlf/networks.h"
#include "process/output_names.h"
#include "support/error.h"

namespace mlf::process {
namespace {

using support::get_or_throw;

class Maker {
 public:
  Maker(const Job& job, Outputs& outputs) : job_(job), outputs_(outputs) {}

  void make();

 private:
  void make_stage(const std::vector<TirSource>& sources, NetworkSearch& search);
  void make_network(const Network& network);
  void make_manifest();
  void report(const Networks& networks);
  void keep(std::vector<Output> made);

  const Job& job_;
  Outputs& outputs_;
  Manifest manifest_{job_.inputs, {}, {}, {}};
};

void Maker::keep(std::vector<Output> made) {
  for (Output& output : made) {
    manifest_.written.push_back({output.name, output.content.sha256});
    outputs_.list.push_back(std::move(output));
  }
}

void Maker::make_stage(const std::vector<TirSource>& sources, NetworkSearch& search) {
  std::vector<tir::Document> documents;
  for (const TirSource& source : sources) {
    documents.push_back(get_or_throw(read_tir(source, job_.library, job_.options.tir_limits)));
    auto [made, entry] = render_tir(source, documents.back(), job_, outputs_.spool);
    manifest_.tir.push_back(std::move(entry));
    keep(std::move(made));
  }
  std::vector<graph::TirInput> inputs;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    inputs.push_back({&documents[i], sources[i].stem});
  }
  get_or_throw(search.offer(inputs));
}

void Maker::make_network(const Network& network) {
  auto [made, entry] = render_network(network, job_, outputs_.spool);
  manifest_.networks.push_back(std::move(entry));
  keep(std::move(made));
}

void Maker::make_manifest() {
  const Piece text =
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

void Maker::report(const Networks& networks) {
  const auto name_of = [&](std::size_t module) { return job_.library.modules[module].name; };
  for (const Network& network : networks.found) {
    outputs_.networks.push_back(report_on(network.topology, name_of(network.module)));
  }
  for (const ModuleWithout& without : networks.missing) {
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

void Maker::make() {
  NetworkSearch search = get_or_throw(NetworkSearch::over(job_.archive, job_.library));
  for (const std::vector<TirSource>& stage : by_stage(job_.sources)) make_stage(stage, search);
  const Networks networks = get_or_throw(std::move(search).finish());
  for (const Network& network : networks.found) make_network(network);
  report(networks);
  refuse_equal_names(outputs_.list, job_.archive.path());
  if (!outputs_.list.empty()) make_manifest();
}

}  // namespace

void make_outputs(const Job& job, Outputs& outputs) {
  Maker(job, outputs).make();
}

}  // namespace mlf::process
