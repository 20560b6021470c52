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
  std::vector<std::string> temporaries;  ///< of runs that were killed or are in progress
};

/// Lists everything below `root`.
DirectoryListing scan_directory(const support::File& root, const Limits& limits);

/// Removes the temporaries of runs that have ended.
void remove_abandoned_below(const support::File& root, const std::vector<std::string>& temporaries);

/// Returns the content of a file that `scan_directory` listed.
std::string read_file_below(const support::File& root, const Member& member);

/// Removes and writes members below `root`, each atomically. At every moment the member
/// `changes.list` lists all others that exist: first mlf removes those that the new list lacks (and
/// directories that become empty), then it writes the list, then the others. So a check of the
/// listed members detects an interrupted update.
void update_directory(const support::File& root, const Changes& changes);

}  // namespace mlf::archive
