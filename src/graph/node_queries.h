// Small queries on TIR nodes for the readers of main and of kernels, and the memory of an
// allocation in generated C.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mlf/graph/topology.h"
#include "mlf/tir/module.h"
#include "tir/node_queries.h"

namespace mlf::graph {

using tir::attribute_of;
using tir::string_of;

/// A name in the form for messages.
inline std::string quoted(std::string_view name) {
  return "'" + std::string(name) + "'";
}

/// The value of an integer constant, below casts.
std::optional<std::int64_t> integer_of(tir::Node expr);

/// Without the casts around it.
tir::Node without_casts(tir::Node expr);

/// The operator of a call without "tir."; empty for other nodes and for calls of functions.
std::string_view operator_of(tir::Node expr);

/// A tensor of these extents; no shape if one of them is not constant.
TensorType type_of(tir::DType dtype, tir::NodeList extents);

/// The function that a call names by its first argument or by a GlobalVar; empty if it names none.
std::string_view callee_name(tir::Node call);

/// Element type and shape of a Buffer; no shape if a dimension is not constant.
TensorType type_of_buffer(tir::Node buffer);

/// Whether a statement that a reader kept as text has no effect on the results of its function.
bool is_inert_text(tir::Node statement);

/// The variable, value and body of a let, which is a statement or an expression.
struct LetParts {
  tir::Node var;
  tir::Node value;
  tir::Node body;
};
std::optional<LetParts> let_of(tir::Node node);

// --- Loads and stores of elements ----------------------------------------------------------------

bool is_load(tir::Node node);
bool is_store(tir::Node node);
/// The variable of the memory that it touches; undefined for other nodes.
tir::Node data_of_access(tir::Node access);
/// The Buffer of a BufferLoad or BufferStore; undefined for other nodes.
tir::Node buffer_of(tir::Node access);
std::vector<tir::Node> indices_of(tir::Node access);
/// The only index; undefined if it has several, or none.
tir::Node index_of(tir::Node access);
/// The type that the index counts.
tir::DType counted_type(tir::Node access);
tir::Node stored_value(tir::Node store);
/// The type of an expression, or of the value of a store.
tir::DType dtype_of(tir::Node node);
/// The mask of a vector, without its Broadcast; undefined if there is none.
tir::Node predicate_of(tir::Node access);
/// Whether a vector is loaded or stored in part: its predicate is not constant true.
bool is_masked(tir::Node access);

/// Elements of constant extents times the bytes of one; nothing if an extent is not constant.
std::optional<std::uint64_t> bytes_of(tir::DType dtype, tir::NodeList extents);

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
