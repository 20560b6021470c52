// Pictures of networks, where the program was built with Graphviz.
#pragma once

#include "mlf/diagnostics.h"
#include "mlf/graph/topology.h"
#include "mlf/tir/write.h"

namespace mlf::program {

/// Writes the network as SVG. Errors: `usage` in a build without Graphviz, else those of
/// mlf::drawing.
Result<void> write_picture(const graph::Topology& topology, const tir::Sink& sink);

}  // namespace mlf::program
