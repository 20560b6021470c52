// Generated C as a source of TIR, where an archive has no better one.
#pragma once

#include <vector>

#include "mlf/archive.h"
#include "mlf/deployment.h"
#include "mlf/model_library.h"

namespace mlf::deployment {

/// Adds the C of every module that none of `sources` shows, see `find_tir`. Throws `Error`.
void add_generated_c(const archive::Archive& archive, const ModelLibrary& library,
                     std::vector<TirSource>& sources);

/// The TIR that the C of one module is, whether or not there is a better one; stems are free of
/// those that `taken` has. Throws `Error`.
std::vector<TirSource> generated_c(const archive::Archive& archive, const Module& module,
                                   const std::vector<TirSource>& taken);

}  // namespace mlf::deployment
