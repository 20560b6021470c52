// The modules of an archive without metadata.json and build.json: what its generated code and
// captured TIR say of them.
#pragma once

#include <optional>
#include <span>

#include "mlf/archive.h"
#include "mlf/model_library.h"

namespace mlf::deployment {

/// Modules by the names of libraries, headers and main functions; executors by what is there for
/// them; targets as C states them. Nothing of what only metadata.json declares. Nothing where
/// `files`, those of the archive, have neither generated code nor captured TIR. Throws `Error`.
std::optional<ModelLibrary> inferred_library(const archive::Archive& archive,
                                             std::span<const FileRef> files);

}  // namespace mlf::deployment
