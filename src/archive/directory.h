// An unpacked archive: a folder whose files are the members. Links are never followed, not even
// links that appear while it is read: every path is opened one component at a time.
#pragma once

#include <string>
#include <vector>

#include "archive/rewrite.h"
#include "mlf/archive.h"
#include "support/file.h"

namespace mlf::archive {

/// Everything below `root`, folders included, sorted by name.
std::vector<Member> scan_directory(const support::File& root, const Limits& limits);

/// The content of a file that `scan_directory` listed.
std::string read_file_below(const support::File& root, const Member& member);

/// Writes the new members below `root`, each atomically, then removes the others (and folders that
/// this leaves empty), then writes the last new member: whoever finds it finds everything done.
void update_directory(const support::File& root, const Changes& changes);

}  // namespace mlf::archive
