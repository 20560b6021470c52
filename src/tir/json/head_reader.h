// The part of tir-N.json that is about the document.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mlf/tir/document.h"
#include "support/json_reader.h"

namespace mlf::tir::json {

/// Throws unless `format` and `version` are ours.
void check_format(support::JsonValue document);
Source read_source(support::JsonValue value);
/// The text of the target; the rest of it follows from the text.
std::optional<std::string> read_target(support::JsonValue value);
std::vector<Loss> read_losses(support::JsonValue value);

}  // namespace mlf::tir::json
