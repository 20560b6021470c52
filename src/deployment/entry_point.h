// The entry point of a module: the function that a program calls, and its interface for tensors.
#pragma once

#include <optional>

#include "mlf/archive.h"
#include "mlf/inspection.h"
#include "mlf/model_library.h"

namespace mlf::deployment {

/// Finds `tvmgen_<module>_run` of the AOT executor in a header of the module, else in its C. Throws
/// `Error`.
std::optional<EntryPoint> entry_point_of(const archive::Archive& archive, const Module& module);

}  // namespace mlf::deployment
