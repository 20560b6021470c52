// Pictures of a network: repeated parts that are shown once, what boxes say, and a column of its
// calls, which needs no layout.
// Threads: functions have no shared state; any number of threads may call them at once.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mlf/diagnostics.h"
#include "mlf/export.h"
#include "mlf/formats.h"
#include "mlf/graph/topology.h"
#include "mlf/graph/write.h"

namespace mlf::graph {

/// Consecutive calls of main that are one box of a drawing: a part of the network that runs `times`
/// times in a row, each time `calls` calls. For a single call, both are 1.
struct CallBlock {
  CallId first{};
  std::uint32_t calls = 1;
  std::uint32_t times = 1;

  std::uint32_t size() const { return calls * times; }
  CallId last() const { return static_cast<CallId>(index(first) + size() - 1); }
  friend bool operator==(const CallBlock&, const CallBlock&) = default;
};

/// A network as boxes. Every call is in one box; boxes are in the order of main.
struct FoldedNetwork {
  std::vector<CallBlock> blocks{};
  std::vector<std::uint32_t> block_of{};  ///< by call
};

/// Every call is its own box.
MLF_API FoldedNetwork whole_network(const Topology& topology);

/// Makes boxes of repeated parts. Two repetitions are equal if their calls have kernels of equal
/// `shapes` (by kernel, such as `analysis::arithmetic_shape`) and read from the same places within
/// the repetition; values from before it may come from anywhere. Of several boxes that begin with
/// the same call, makes the largest; of equally large ones, the one with the shortest part. Does
/// not make a box that would overlap a larger one. A part has at most 64 calls. No box spans a
/// copy. A call with a check of severity `error` stays its own box.
/// Time grows with the number of calls, with at most 4,096 steps for each.
MLF_API FoldedNetwork fold_repeats(const Topology& topology, std::span<const std::uint64_t> shapes);

/// Facts about a network that are not in its topology.
struct DotNotes {
  /// Repeated parts to draw once, of the same topology; if nullopt, every call is a box.
  std::optional<FoldedNetwork> folded{};
  std::vector<std::string> boxes{};   ///< by block or call, a line below its name; empty: none
  std::vector<std::string> layers{};  ///< by call, its layer in the model; empty: not known
};

/// `write_dot` of graph/write.h with these notes. Boxes have a line with their layer. Repeated
/// parts are three-dimensional boxes that list the kernels of one repetition. Several tensors
/// between two boxes become one edge with the sum of their bytes.
MLF_API Result<void> write_dot(const Topology& topology, const DotNotes& notes, const Sink& sink);

/// The number of items that Graphviz must place: nodes, and each edge once per rank that it
/// crosses, because Graphviz orders it there like a node. Ranks are those of the longest path.
MLF_API std::uint64_t layout_effort(const Topology& topology, const FoldedNetwork& folded);
MLF_API std::uint64_t layout_effort(const Topology& topology);

/// The largest effort that takes only seconds: a chain of 1,000 calls, or 22 calls that each read
/// the results of all earlier ones. Graphviz's time grows with about the fourth power of the latter
/// number.
inline constexpr std::uint64_t kMostLayoutEffort = 2000;

/// Writes an SVG document with one row for each call, in the order of main: its number, the kernel,
/// and the first few of the calls and inputs that it reads from. Time and size are linear in the
/// number of calls. Reasons of checks about a call are below it, in red.
/// Errors: only exceptions of `sink`.
MLF_API void write_column_svg(const Topology& topology, const Sink& sink);

// --- Places of boxes: below their inputs ---------------------------------------------------------

/// A box that makes values: a block of calls or a copy.
struct Box {
  EndpointKind kind = EndpointKind::call;
  std::uint32_t at = 0;  ///< position among the blocks or the copies
  friend auto operator<=>(const Box&, const Box&) = default;
};

/// The box that contains a step.
inline Box box_of(const FoldedNetwork& folded, const Endpoint& end) {
  return {end.kind, end.kind == EndpointKind::call ? folded.block_of[end.step] : end.step};
}

/// Whether the box contains several calls.
inline bool is_block(const FoldedNetwork& folded, const Box& box) {
  return box.kind == EndpointKind::call && folded.blocks[box.at].size() > 1;
}

/// Ranks of boxes by the longest path to them, from 1.
using Ranks = std::map<Box, std::uint64_t>;
Ranks ranks_of(const Topology& topology, const FoldedNetwork& folded);

}  // namespace mlf::graph
