// The network as a picture: Graphviz lays it out.
// Threads: functions have no shared state; any number of threads may call them at once.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mlf/diagnostics.h"
#include "mlf/export.h"
#include "mlf/graph/fold.h"
#include "mlf/graph/topology.h"
#include "mlf/tir/write.h"

namespace mlf::graph {

/// What a caller knows of a network beside its topology.
struct DotNotes {
  /// Repeated parts that are drawn once; nothing: every call is a box. Of the same topology.
  std::optional<FoldedNetwork> folded{};
  std::vector<std::string> boxes{};   ///< by block or call, a line below its name; empty: none
  std::vector<std::string> layers{};  ///< by call, its layer in the model; empty: not known
};

/// Writes the topology in Graphviz's DOT language, for `dot -Tsvg` and the like. Equal topologies
/// give equal text.
///
/// Kernels are rounded boxes with their short names, their layers, the number of the call in main,
/// how many constants and workspaces they have and of how many bytes; repeated parts are boxes with
/// depth that list the kernels of one time, several tensors between one and another box are one
/// edge with the sum of their bytes; functions of other compilers and targets are double boxes,
/// copies dashed ones, inputs and outputs ellipses, constants of main notes. An edge says dtype,
/// shape and bytes of its tensor, both shapes where its ends see different ones, and bytes alone
/// where neither knows the others; of a tensor without a size, those of its allocation ("at most").
/// What a check of severity `error` is about is red, boxes with the reason; checks about neither a
/// call nor a value are in a box of their own. Hooks are not shown. A network of more than 20 ranks
/// is wrapped where a single tensor leads on: its parts stand side by side.
///
/// Errors: none but what `sink` throws.
MLF_API Result<void> write_dot(const Topology& topology, const tir::Sink& sink);
MLF_API Result<void> write_dot(const Topology& topology, const DotNotes& notes,
                               const tir::Sink& sink);

}  // namespace mlf::graph
