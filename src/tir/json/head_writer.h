// The part of tir-N.json that is about the document: source, target, losses.
#pragma once

#include "mlf/tir/document.h"
#include "tir/json/emitter.h"

namespace mlf::tir::json {

/// Members from `format` to `target`.
void write_head(Emitter& emitter, const Document& document);
/// The member `losses`.
void write_losses(Emitter& emitter, const Document& document);

}  // namespace mlf::tir::json
