// Generated C in which main calls a hook in the place of each kernel.
#pragma once

#include <vector>

#include "mlf/deployment.h"
#include "optimize/edited_archive.h"

namespace mlf::run {

/// The member with main, edited: each call of `network` calls `hook_of` it with the same arguments.
/// Throws `Error` (check_failed) where main's text does not show the calls of the network, each of
/// which is made once.
optimize::EditedMembers with_hooks(const Deployment& deployment, const Network& network);

}  // namespace mlf::run
