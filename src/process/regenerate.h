// Makes the outputs of `mlf process` again, for an archive whose members are about to change.
#pragma once

#include <string>

#include "archive/rewrite.h"
#include "mlf/deployment.h"

namespace mlf::process {

/// Writes an archive with changes to `output` ("-": standard output), and with the outputs that
/// `mlf process` would then make in it, with the options of its manifest; without a manifest there
/// are none. Throws `Error`.
archive::Lost write_regenerated(const archive::Archive& archive, const archive::Changes& changes,
                                const std::string& output, const DeploymentOptions& options = {});

}  // namespace mlf::process
