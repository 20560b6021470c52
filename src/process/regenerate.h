// Makes the outputs of `mlf process` again, for an archive whose members are about to change.
#pragma once

#include <functional>

#include "archive/rewrite.h"
#include "mlf/deployment.h"

namespace mlf::process {

/// Calls `use` with the changes that `mlf process` would make to this archive, with the options of
/// its manifest; with no changes if it has no manifest. The changes are valid during the call. They
/// identify members by name, so they apply to any archive with members of these names. Throws
/// `Error`.
void regenerate(Deployment deployment, const std::function<void(archive::Changes)>& use);

}  // namespace mlf::process
