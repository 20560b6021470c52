// Attributes that say again what the rest of their node says: compared, and reported where they
// differ.
#pragma once

#include "tir/reader.h"
#include "tir/save_json/json_graph.h"

namespace mlf::tir::save_json {

/// Logs `checked_type` for every PrimFunc of the document whose `_checked_type_` is not the type
/// of its parameters and result, and for modules whose `global_var_map_` does not list exactly
/// their functions' GlobalVars.
void check_derived(const JsonGraph& graph, LossLog& losses);

}  // namespace mlf::tir::save_json
