// The network as a column of its calls: a picture that needs no layout.
// Threads: functions have no shared state; any number of threads may call them at once.
#pragma once

#include <cstdint>

#include "graph/formats/fold.h"
#include "mlf/diagnostics.h"
#include "mlf/export.h"
#include "mlf/formats.h"
#include "mlf/graph/topology.h"

namespace mlf::graph {

/// What Graphviz has to place: nodes, and an edge once for every rank that it crosses, where it
/// becomes a node that is put in order with the others. Ranks are those of the longest path.
MLF_API std::uint64_t layout_effort(const Topology& topology, const FoldedNetwork& folded);
MLF_API std::uint64_t layout_effort(const Topology& topology);

/// The most of it that is laid out in seconds: a chain of 1,000 calls, or 22 calls that each read
/// what all before them wrote. Graphviz's time grows with about the fourth power of the latter.
inline constexpr std::uint64_t kMostLayoutEffort = 2000;

/// Writes an SVG document with one row for each call, in the order of main: its number, the
/// kernel, and which calls and inputs made what it reads, the first few of them. Time and size are
/// linear in the calls. Reasons of checks that are about a call are below it, in red.
///
/// Errors: none but what `sink` throws.
MLF_API Result<void> write_column_svg(const Topology& topology, const Sink& sink);

}  // namespace mlf::graph
