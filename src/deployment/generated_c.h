// Generated C as a source of TIR: the only one that a stock archive has.
#pragma once

#include <span>
#include <vector>

#include "mlf/archive.h"
#include "mlf/deployment.h"
#include "mlf/model_library.h"

namespace mlf::deployment {

/// The TIR that the C of one module is, one a target, whether or not there is a better one. Stems
/// are free of those that `taken` has. Throws `Error`.
std::vector<TirSource> generated_c(const archive::Archive& archive, const Module& module,
                                   std::span<const TirSource> taken);

/// Whether TIR that was captured shows a module of `library`, see `Deployment::tir_sources`.
bool is_shown(const Module& module, const ModelLibrary& library,
              std::span<const TirSource> captured);

}  // namespace mlf::deployment
