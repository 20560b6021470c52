#include "deployment/network_sources.h"

#include <set>
#include <string>

#include "support/error.h"

namespace mlf::deployment {

NetworkSources network_sources(const Deployment& deployment, const graph::Topology& network) {
  std::set<std::string> stems{network.provenance.source};
  for (const graph::Kernel& kernel : network.kernels) stems.insert(kernel.source);
  NetworkSources sources;
  for (const std::string& stem : stems) {
    const TirSource* source = stem.empty() ? nullptr : deployment.find_tir(stem);
    if (source == nullptr) continue;
    sources.documents.push_back(support::get_or_throw(deployment.document(*source)));
    sources.inputs.push_back({sources.documents.back().get(), stem});
  }
  return sources;
}

}  // namespace mlf::deployment
