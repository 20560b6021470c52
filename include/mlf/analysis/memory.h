// What is in memory that can be written while a network runs, call by call and at its fullest.
// Threads: functions have no shared state; any number of threads may call them at once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mlf/analysis/count.h"
#include "mlf/export.h"
#include "mlf/graph/topology.h"

namespace mlf::analysis {

/// A number of bytes as a Count: `at_least` has no maximum, `at_most` no minimum.
MLF_API Count to_count(const graph::ByteCount& bytes);

/// A sum of sizes of which some may be unknown: it then has no maximum.
MLF_API Count to_count(const std::optional<std::uint64_t>& bytes);

/// Why a tensor is in memory while a call runs.
enum class LiveRole : std::uint8_t {
  input,    ///< the call reads it
  output,   ///< the call writes it
  in_out,   ///< the call reads what was there and writes it anew
  scratch,  ///< memory of the kernel's own: a workspace, gone when the call ends
  held,     ///< neither read nor written by this call, but by a later one
};
MLF_API std::string_view to_string(LiveRole role);

/// A tensor in memory that can be written, at one step.
struct LiveTensor {
  std::string name;  ///< of the Value, or of the kernel's buffer
  LiveRole role = LiveRole::held;
  graph::MemoryKind memory = graph::MemoryKind::pool;
  std::optional<graph::PoolId> pool{};    ///< of MemoryKind::pool
  std::optional<graph::ValueId> value{};  ///< nothing for scratch
  std::optional<std::uint64_t> bytes{};   ///< nothing: unknown
};

/// The tensors and workspaces that are in pools, heap, stack and the graph executor's storages
/// while `call` runs: first what it reads and writes, then its scratch, then what is held. Memory
/// of the caller (inputs and outputs of the network outside of pools) and constants are not among
/// them. Two may share bytes, where a result is put over a dying input.
MLF_API std::vector<LiveTensor> live_tensors(const graph::Topology& topology, graph::CallId call);

/// What one call takes of memory, in bytes.
struct CallMemory {
  Count live;        ///< in use while it runs, in all regions together; each byte counts once
  Count scratch;     ///< the kernel's own workspaces, at most as many as are there at once
  Count parameters;  ///< constants that it reads: the kernel's own and those of main
};

/// By call.
MLF_API std::vector<CallMemory> call_memory(const graph::Topology& topology);

/// The fullest moment of all memory that can be written: pools, heap, stack and the graph
/// executor's storages together, as they are on one board.
struct RamPeak {
  std::optional<graph::CallId> call{};   ///< the first such; nothing where it is not a call's
  Count bytes;                           ///< in use then
  Count used;                            ///< what they take where they are
  std::vector<std::string> uncertain{};  ///< why these are not exact, one sentence each
};
MLF_API RamPeak ram_peak(const graph::Topology& topology);

}  // namespace mlf::analysis
