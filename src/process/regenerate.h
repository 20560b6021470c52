// Making the outputs of `mlf process` anew for an archive whose members are about to change.
#pragma once

#include <functional>

#include "archive/rewrite.h"
#include "mlf/deployment.h"

namespace mlf::process {

/// Calls `use` with what `mlf process` would change of this archive, under the options of its
/// manifest; with no changes where there is no manifest. The changes are good during the call. They
/// name members, so that they may be applied to any archive with members of these names. Throws
/// `Error`.
void regenerate(Deployment deployment, const std::function<void(archive::Changes)>& use);

}  // namespace mlf::process
