// Generated C in which main calls a hook in place of each kernel.
#pragma once

#include <string_view>
#include <vector>

#include "mlf/deployment.h"
#include "optimize/call_slots.h"
#include "optimize/edited_archive.h"

namespace mlf::run {

/// The member of generated C with a network's main, and the text of each of its calls.
struct MainCalls {
  const archive::Member* member;
  std::string_view text;  ///< of the member
  std::vector<optimize::CallSlot> slots;
};

/// Returns the calls of main in their order. Throws `Error` (check_failed) unless main's text
/// contains each call of the network exactly once.
MainCalls calls_of_main(const Deployment& deployment, const Network& network);

/// Edits the member with main: replaces the callee of each call in `network` by `hook_of` this
/// call, with the same arguments. Throws `Error` as `calls_of_main` does.
optimize::EditedMembers with_hooks(const Deployment& deployment, const Network& network);

}  // namespace mlf::run
