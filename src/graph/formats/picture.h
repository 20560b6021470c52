// Pictures of a network: repeated parts that are shown once, what boxes say, and a column of its
// calls, which needs no layout.
// Threads: functions have no shared state; any number of threads may call them at once.
#pragma once

#include <cstdint>
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

/// Calls that follow each other in main and are one box of a drawing: a part of the network that
/// runs `times` times in a row, each time `calls` calls. A single call is once one.
struct CallBlock {
  CallId first{};
  std::uint32_t calls = 1;
  std::uint32_t times = 1;

  std::uint32_t size() const { return calls * times; }
  CallId last() const { return static_cast<CallId>(index(first) + size() - 1); }
  friend bool operator==(const CallBlock&, const CallBlock&) = default;
};

/// A network in boxes. Every call is in one; boxes are in the order of main.
struct FoldedNetwork {
  std::vector<CallBlock> blocks{};
  std::vector<std::uint32_t> block_of{};  ///< by call
};

/// Every call is a box of its own.
MLF_API FoldedNetwork whole_network(const Topology& topology);

/// Makes boxes of parts that repeat. One time is like the next where its calls are of kernels of
/// equal `shapes` (by kernel; `analysis::arithmetic_shape`, say) and read from the same places
/// within it; what comes from before it may come from anywhere. Of several boxes
/// that begin with the same call, the largest is made; of equally large ones, the one with the
/// shortest part. A box that would overlap a larger one is not made. A part has at most 64 calls.
/// No box goes across a copy, and calls that a check of severity `error` is about stay boxes of
/// their own.
///
/// Time grows with the number of calls, by at most 4,096 steps for each.
MLF_API FoldedNetwork fold_repeats(const Topology& topology, std::span<const std::uint64_t> shapes);

/// What a caller knows of a network beside its topology.
struct DotNotes {
  /// Repeated parts that are drawn once; nothing: every call is a box. Of the same topology.
  std::optional<FoldedNetwork> folded{};
  std::vector<std::string> boxes{};   ///< by block or call, a line below its name; empty: none
  std::vector<std::string> layers{};  ///< by call, its layer in the model; empty: not known
};

/// `write_dot` of graph/write.h with these notes. Layers are a line of their boxes; repeated parts
/// are boxes with depth that list the kernels of one time, and several tensors between one and
/// another box are one edge with the sum of their bytes.
MLF_API Result<void> write_dot(const Topology& topology, const DotNotes& notes, const Sink& sink);

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
