#include "profile/calls.h"

#include "mlf/report.h"
#include "support/error.h"

namespace mlf::profile {
namespace {

analysis::Count divisions_of(const analysis::KernelCost& cost) {
  analysis::Count sum = cost.index_divisions;
  for (const analysis::OperationCount& one : cost.operations) {
    if (one.operation == analysis::Operation::divide_modulo) sum += one.count;
  }
  return sum;
}

}  // namespace

std::vector<ProfiledCall> described_calls(const Deployment& deployment, const Network& network) {
  const graph::Topology& topology = network.topology;
  std::vector<ProfiledCall> calls;
  for (std::size_t i = 0; i < topology.calls.size(); ++i) {
    calls.push_back({.call = i,
                     .kernel = topology.kernel_of(topology.calls[i]).symbol,
                     .mac = analysis::Count::unknown(),
                     .loaded = analysis::Count::unknown(),
                     .divisions = analysis::Count::unknown()});
  }
  const Report report = support::get_or_throw(report_of(deployment));
  const ModuleReport& module = report.modules[network.module];
  if (module.calls.size() != calls.size()) return calls;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const CallReport& call = module.calls[i];
    const KernelReport& kernel = module.kernels[call.kernel];
    if (kernel.symbol != calls[i].kernel) continue;
    calls[i].layer = call.layer;
    calls[i].mac = call[CallMeasure::mac];
    calls[i].loaded = call[CallMeasure::loaded];
    if (kernel.cost) calls[i].divisions = divisions_of(*kernel.cost);
  }
  return calls;
}

}  // namespace mlf::profile
