// Writes a topology as <module>.topology.json.
#pragma once

#include "mlf/diagnostics.h"
#include "mlf/export.h"
#include "mlf/graph/topology.h"
#include "mlf/tir/write.h"

namespace mlf::graph {

/// Writes everything a topology holds, in a fixed order of keys: `format` ("mlf-topology"),
/// `version`, `generator`, `module`, `provenance`, `inputs`, `outputs`, `kernels`, `calls`,
/// `values`, `storages`, `pools`, `hooks`, `copies`, `checks`. Ids are positions in these arrays;
/// sizes and offsets are bytes; what is unknown or does not apply is null.
MLF_API Result<void> write_topology_json(const Topology& topology, tir::JsonLayout layout,
                                         const tir::Sink& sink);

}  // namespace mlf::graph
