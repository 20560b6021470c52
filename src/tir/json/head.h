// The part of tir-N.json that is about the document: source, target, losses.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/document.h"
#include "json/writer.h"
#include "mlf/tir/document.h"

namespace mlf::tir::tir_json {

/// Members from `format` to `target`.
void write_head(json::Writer& emitter, const Document& document);
/// The member `c` of a function, if its place in generated C is known.
void write_c_place(json::Writer& emitter, const Document& document, std::string_view function);
void write_imported_c(json::Writer& emitter, const Document& document);
/// The member `losses`.
void write_losses(json::Writer& emitter, const Document& document);

/// Throws unless `format` and `version` are those that mlf writes.
void check_format(json::Value document);
Source read_source(json::Value value);
/// The text of the target; the rest of it follows from the text.
std::optional<std::string> read_target(json::Value value);
std::vector<Loss> read_losses(json::Value value);
CodePlace read_c_place(json::Value value);
std::vector<ImportedC> read_imported_c(json::Value value);

}  // namespace mlf::tir::tir_json
