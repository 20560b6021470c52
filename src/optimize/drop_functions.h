// Removes functions that nothing calls from generated C, captured TIR and metadata.json.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "edit/edited_archive.h"
#include "mlf/deployment.h"
#include "mlf/optimize.h"

namespace mlf::optimize {

/// Removes the functions of each module that its main does not reach. Returns them by module, with
/// the reason for each that stays.
///
/// A function goes only if each of its names in the archive's code is its prototype, its
/// definition, or inside of such a function, and if a header states the module's interface without
/// it. Reads C and captured TIR again: they must equal the old TIR without these functions.
std::vector<std::vector<OptimizedFunction>> drop_functions(const Deployment& deployment,
                                                           edit::EditedMembers& edited,
                                                           const tir::ReadLimits& limits);

}  // namespace mlf::optimize
