// Writes a topology as <module>.topology.json.
// Threads: functions have no shared state; any number of threads may call them at once.
#pragma once

#include "mlf/diagnostics.h"
#include "mlf/export.h"
#include "mlf/graph/topology.h"
#include "mlf/tir/write.h"

namespace mlf::graph {

/// Of the format `mlf-topology`. It changes when an old reader would misread a new file.
inline constexpr int kTopologyVersion = 1;

/// Writes everything a topology holds, in a fixed order of keys: `format` ("mlf-topology"),
/// `version`, `generator`, `module`, `provenance`, `inputs`, `outputs`, `constants`, `kernels`,
/// `calls`, `values`, `storages`, `pools`, `memory`, `hooks`, `copies`, `checks`
/// (schemas/README.md). Ids are positions in these arrays; sizes and offsets are bytes; what is
/// unknown or does not apply is null.
MLF_API Result<void> write_topology_json(const Topology& topology, tir::JsonLayout layout,
                                         const tir::Sink& sink);

}  // namespace mlf::graph
