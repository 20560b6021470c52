// Small queries on TIR nodes for the readers of main and of kernels.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

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

/// Element type and shape of a Buffer; no shape if a dimension is not constant.
TensorType type_of_buffer(tir::Node buffer);

/// Whether a statement that a reader kept as text has no effect on the results of its function.
bool is_inert_text(tir::Node statement);

/// Elements of constant extents times the bytes of one; nothing if an extent is not constant.
std::optional<std::uint64_t> bytes_of(tir::DType dtype, tir::NodeList extents);

}  // namespace mlf::graph
