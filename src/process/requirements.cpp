#include "process/requirements.h"

#include <algorithm>

#include "process/output_names.h"
#include "support/error.h"

namespace mlf::process {
namespace {

bool wants(const Job& job, Requirement requirement) {
  const auto& wanted = job.options.require;
  return std::find(wanted.begin(), wanted.end(), requirement) != wanted.end();
}

[[noreturn]] void fail(const Job& job, std::string message) {
  Location where;
  where.file = job.archive().path();
  throw support::Error(ErrorKind::check_failed, std::move(message), where);
}

void require_graph(const Job& job, const NetworkReport& network) {
  const std::string module = "module '" + network.module + "' has no graph: ";
  if (network.reason) fail(job, module + std::string(to_string(*network.reason)));
  if (network.failed_checks == 0) return;
  fail(job, module + network.first_failure +
                (network.failed_checks == 1
                     ? ""
                     : " (and " + std::to_string(network.failed_checks - 1) + " more)"));
}

}  // namespace

void require_tir(const Job& job) {
  if (!wants(job, Requirement::tir) || !job.deployment.tir_sources().empty()) return;
  fail(job,
       "no TIR: the archive has no member src/tir-*.txt or src/tir-*.tvm.json, and no generated C");
}

void require_graphs(const Job& job, std::span<const NetworkReport> networks) {
  if (!wants(job, Requirement::graph)) return;
  for (const NetworkReport& network : networks) require_graph(job, network);
}

bool listed_graphs_suffice(const Job& job) {
  if (!wants(job, Requirement::graph)) return true;
  const auto& written = job.previous->written;
  return std::all_of(job.modules().begin(), job.modules().end(), [&](const auto& one) {
    return std::any_of(written.begin(), written.end(), [&](const Digest& digest) {
      return digest.name == graph_name(one.name, job.archive().path());
    });
  });
}

}  // namespace mlf::process
