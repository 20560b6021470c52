// Fields of a document that follow from the rest of their node.
#pragma once

#include <cstdint>

#include "tir/save_json/json_graph.h"

namespace mlf::tir::save_json {

/// Whether `_checked_type_` of a PrimFunc is the type of its parameters and result, or
/// `global_var_map_` of an IRModule lists exactly the GlobalVars of its functions.
bool follows(const JsonGraph& graph, std::uint32_t node, Kind kind);

}  // namespace mlf::tir::save_json
