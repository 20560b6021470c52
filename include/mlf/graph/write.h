// Writes a network: as <module>.topology.json, for TVM's graph executor, for Graphviz, as a trace
// of its memory, and for Model Explorer. Writers keep no reference to their arguments.
//
//     std::string dot;
//     const auto written = mlf::graph::write_dot(
//         topology, [&](std::string_view bytes) { dot += bytes; });
//
// Threads: functions have no shared state; any number of threads may call them at once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mlf/diagnostics.h"
#include "mlf/export.h"
#include "mlf/formats.h"
#include "mlf/graph/topology.h"

namespace mlf::graph {

/// Writes everything a topology holds, in a fixed order of keys: `format` ("mlf-topology"),
/// `version`, `generator`, `module`, `provenance`, `inputs`, `outputs`, `constants`, `kernels`,
/// `calls`, `values`, `storages`, `pools`, `memory`, `hooks`, `copies`, `checks`
/// (schemas/topology.md). Ids are positions in these arrays; sizes and offsets are bytes; a
/// value that is unknown or does not apply is null.
MLF_API Result<void> write_topology_json(const Topology& topology, JsonLayout layout,
                                         const Sink& sink);

/// Writes the JSON that TVM's graph executor loads (src/runtime/graph_executor): `nodes`,
/// `arg_nodes`, `heads`, `attrs` {dltype, device_index, storage_id, shape} and `node_row_ptr`.
///
/// Inputs and then constants are `null` nodes, every call and every copy of a graph is a `tvm_op`.
/// Copies of main and device hooks are folded away. `device_index` is missing if a device is not
/// known. Where reader and writer of a tensor see different shapes, a `__nop` is
/// between them. Values that share an allocation share a storage_id; values in pools have one each.
///
/// Errors: `check_failed` if a value that a call or an output reads is missing: such a topology has
/// a check of severity `error`, and no graph.
MLF_API Result<void> write_graph_json(const Topology& topology, JsonLayout layout,
                                      const Sink& sink);

/// Writes the topology in Graphviz's DOT language, for `dot -Tsvg` and the like. Equal topologies
/// give equal text.
///
/// Kernels are rounded boxes with their short names, the number of the call in main, and the number
/// and bytes of their constants and workspaces. Functions of other compilers and targets are double
/// boxes, copies are dashed boxes, inputs and outputs are ellipses, constants of main are notes.
/// The label of an edge has dtype, shape and bytes of its tensor: both shapes if its ends see
/// different ones, only bytes if neither end knows dtype and shape, and "at most" the bytes of the
/// allocation for a tensor without a size. Calls and values with a check of severity `error` are
/// red, boxes with the reason. Checks about neither a call nor a value are in a box of their own.
/// Hooks are not shown. A network of more than 20 ranks is cut where only one tensor leads on, and
/// its parts are drawn side by side.
///
/// Errors: none but what `sink` throws.
MLF_API Result<void> write_dot(const Topology& topology, const Sink& sink);

/// Writes a run of the network in the Trace Event Format, which Perfetto (ui.perfetto.dev), its
/// trace processor and chrome://tracing read: memory over time. A step of main takes a microsecond:
/// its duration is unknown.
///
/// The network is process 1. Calls and copies are slices of its thread 1 ("X"), values that main or
/// the caller has memory for are asynchronous slices from their definition to the end of their last
/// use ("b", "e"; `id` is that of the value), and each entry of `memory` is a counter ("C") of
/// bytes in use. Two slices with one name are two runs of the same call.
MLF_API Result<void> write_trace_json(const Topology& topology, JsonLayout layout,
                                      const Sink& sink);

/// What is known of the time of a call, in nanoseconds.
struct CallDuration {
  std::uint64_t shown = 0;  ///< the number that a trace is drawn with
  std::uint64_t min = 0;
  std::optional<std::uint64_t> max{};  ///< nothing: there is no upper bound
};

/// The times of a run.
struct TraceTimes {
  std::vector<CallDuration> calls{};  ///< by CallId
  std::string shown{};                ///< what `shown` of all calls is: "upper bounds"
  std::string origin{};               ///< one sentence: what counted or measured them
};

/// The same in time: each call takes what is `shown`, copies and hooks take no time. The name of
/// the thread says what is shown ("main: upper bounds"), and so does `otherData` with the
/// origin; each call has its bounds as arguments.
///
/// Errors: `usage` unless there is one duration for each call.
MLF_API Result<void> write_trace_json(const Topology& topology, const TraceTimes& times,
                                      JsonLayout layout, const Sink& sink);

/// Writes a collection of one graph for Google's Model Explorer, which opens such files: inputs,
/// constants of main, calls, copies and outputs are nodes ("input0", "call3", …), each with its
/// operands as `incomingEdges` and its tensors (name, type, bytes, where they lie) as
/// `outputsMetadata`. The graph's id is the module's name. Unknown attributes are left out.
/// `mlf::write_node_data` writes the costs of the calls.
MLF_API Result<void> write_model_explorer_json(const Topology& topology, JsonLayout layout,
                                               const Sink& sink);

}  // namespace mlf::graph
