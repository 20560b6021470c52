// The table of constants.
#pragma once

#include <vector>

#include "json/writer.h"
#include "mlf/tir/document.h"
#include "mlf/tir/write.h"
#include "tir/json/outline.h"

namespace mlf::tir::tir_json {

/// Writes the member `constants`; gives the files that it refers to.
std::vector<ConstantFile> write_constants(json::Writer& emitter, const Outline& outline,
                                          const std::vector<Recovered>& recovered,
                                          const JsonOptions& options);

}  // namespace mlf::tir::tir_json
