// The modules of an archive without metadata.json and build.json, inferred from its generated code
// and captured TIR.
#pragma once

#include <optional>
#include <span>

#include "mlf/archive.h"
#include "mlf/model_library.h"

namespace mlf::deployment {

/// Infers modules from the names of libraries, headers and main functions, executors from their
/// files, and targets from the C. Leaves out everything that only metadata.json declares. Returns
/// nullopt if `files`, those of the archive, have neither generated code nor captured TIR. Throws
/// `Error`.
std::optional<ModelLibrary> inferred_library(const archive::Archive& archive,
                                             std::span<const FileRef> files);

}  // namespace mlf::deployment
