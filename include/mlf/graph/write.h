// Writes a topology as <module>.topology.json, as a trace of its memory, and for Model Explorer.
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
/// (schemas/topology.md). Ids are positions in these arrays; sizes and offsets are bytes; what is
/// unknown or does not apply is null.
MLF_API Result<void> write_topology_json(const Topology& topology, tir::JsonLayout layout,
                                         const tir::Sink& sink);

/// Writes a run of the network in the Trace Event Format, which Perfetto (ui.perfetto.dev), its
/// trace processor and chrome://tracing read: memory over time. A step of main takes a microsecond,
/// as nothing here says how long it takes on a board.
///
/// The network is process 1. Calls and copies are slices of its thread 1 ("X"), values that main
/// or the caller has memory for are asynchronous slices from their definition to the end of their
/// last use ("b", "e"; `id` is the value's), and each entry of `memory` is a counter ("C") of bytes
/// in use. Names are unique: two slices of one name are two runs of the same call.
MLF_API Result<void> write_trace_json(const Topology& topology, tir::JsonLayout layout,
                                      const tir::Sink& sink);

/// Writes a collection of one graph for Google's Model Explorer, which opens such files: inputs,
/// constants of main, calls, copies and outputs are nodes ("input0", "call3", …), each with its
/// operands as `incomingEdges` and its tensors (name, type, bytes, where they lie) as
/// `outputsMetadata`. The graph's id is the module's name; what is unknown is left out. Costs of
/// the calls are node data: `mlf::write_node_data`.
MLF_API Result<void> write_model_explorer_json(const Topology& topology, tir::JsonLayout layout,
                                               const tir::Sink& sink);

}  // namespace mlf::graph
