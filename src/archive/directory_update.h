// The same changes in an unpacked archive, file by file.
#pragma once

#include "archive/rewrite.h"

namespace mlf::archive {

/// Writes the new members below `root`, each atomically, then removes the others (and folders that
/// this leaves empty), then writes the last new member: whoever finds it finds everything done.
void update_directory(const support::File& root, const Changes& changes);

}  // namespace mlf::archive
