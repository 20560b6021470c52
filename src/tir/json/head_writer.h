// The part of tir-N.json that is about the document: source, target, losses.
#pragma once

#include "json/writer.h"
#include "mlf/tir/document.h"

namespace mlf::tir::tir_json {

/// Members from `format` to `target`.
void write_head(json::Writer& emitter, const Document& document);
/// The member `losses`.
void write_losses(json::Writer& emitter, const Document& document);

}  // namespace mlf::tir::tir_json
