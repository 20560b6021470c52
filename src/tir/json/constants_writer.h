// The table of constants.
#pragma once

#include <vector>

#include "mlf/tir/document.h"
#include "mlf/tir/write.h"
#include "tir/json/emitter.h"
#include "tir/json/outline.h"

namespace mlf::tir::json {

/// Writes the member `constants`; gives the files that it refers to.
std::vector<ConstantFile> write_constants(Emitter& emitter, const Outline& outline,
                                          const std::vector<Recovered>& recovered,
                                          const JsonOptions& options);

}  // namespace mlf::tir::json
