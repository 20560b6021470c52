// An unpacked archive: a directory whose files are the members. Links are never followed, not even
// links that appear while it is read: every path is opened one component at a time.
#pragma once

#include <string>
#include <vector>

#include "archive/rewrite.h"
#include "mlf/archive.h"
#include "support/file.h"

namespace mlf::archive {

struct DirectoryListing {
  std::vector<Member> members;           ///< sorted by name, directories included
  std::vector<std::string> temporaries;  ///< of runs that were killed, or are under way
};

/// Everything below `root`.
DirectoryListing scan_directory(const support::File& root, const Limits& limits);

/// Removes those temporaries whose run is not alive any more.
void remove_abandoned_below(const support::File& root, const std::vector<std::string>& temporaries);

/// The content of a file that `scan_directory` listed.
std::string read_file_below(const support::File& root, const Member& member);

/// Removes and writes members below `root`, each atomically, and in such an order that the member
/// `changes.list` lists all that is there of the others, however far this comes: first go those
/// that it no longer lists (and directories that this leaves empty), then it is written, then the
/// others. So a check of what it lists notices an update that was interrupted.
void update_directory(const support::File& root, const Changes& changes);

}  // namespace mlf::archive
