// The TIR that a network was read off.
#pragma once

#include <memory>
#include <vector>

#include "graph/reconstruct.h"
#include "mlf/deployment.h"

namespace mlf::deployment {

/// Holds the documents that `inputs` point to.
struct NetworkSources {
  std::vector<std::shared_ptr<const tir::Document>> documents;
  std::vector<graph::TirInput> inputs;
};

/// The sources of main and of its kernels, by stem. Throws what `Deployment::document` returns.
NetworkSources network_sources(const Deployment& deployment, const graph::Topology& network);

}  // namespace mlf::deployment
