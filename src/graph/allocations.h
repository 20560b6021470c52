// The memory of an allocation in generated C.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "mlf/graph/topology.h"
#include "mlf/tir/module.h"

namespace mlf::graph {

/// The largest number in the JSON. As a number of bytes, it means this many or more.
inline constexpr std::uint64_t kMostBytes = std::numeric_limits<std::int64_t>::max();

/// Sums of bytes saturate at `kMostBytes`.
inline std::uint64_t sum_of(std::uint64_t a, std::uint64_t b) {
  return a > kMostBytes || b > kMostBytes - a ? kMostBytes : a + b;
}

/// Heap or stack, as chosen by TVM's host passes for an Allocate.
MemoryKind memory_of_allocate(tir::Node allocate);

/// Whether the expression is TVMBackendAllocWorkspace(…, bytes, type code, type bits).
bool is_workspace_allocation(tir::Node expr);

/// Bytes that such a call requests; nullopt if not constant.
std::optional<std::uint64_t> bytes_of_workspace(tir::Node allocation);

/// Bytes that an allocation takes: TVM's C runtime rounds blocks of the heap up.
std::uint64_t allocated_bytes(MemoryKind memory, std::uint64_t bytes);

}  // namespace mlf::graph
