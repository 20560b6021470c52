// The JSON Schema of tir-N.json, made from nodes.def so that the two cannot drift apart.
#pragma once

#include <string>

namespace mlf::tir::tir_json {

/// The text of schemas/tir.schema.json.
std::string schema_text();

}  // namespace mlf::tir::tir_json
