// Generated C in which main calls a hook in place of each kernel.
#pragma once

#include "edit/edited_archive.h"
#include "mlf/deployment.h"

namespace mlf::run {

/// Edits the member with main: replaces the callee of each call in `network` by `hook_of` this
/// call, with the same arguments. Throws `Error` as `edit::calls_of_main` does.
edit::EditedMembers with_hooks(const Deployment& deployment, const Network& network);

}  // namespace mlf::run
