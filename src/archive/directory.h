// An unpacked archive: a folder whose files are the members. Links are never followed, not even
// links that appear while it is read: every path is opened one component at a time.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mlf/archive.h"
#include "support/file.h"

namespace mlf::archive {

/// Everything below `root`, folders included, sorted by name.
std::vector<Member> scan_directory(const support::File& root, const Limits& limits);

/// The content of a file that `scan_directory` listed.
std::string read_file_below(const support::File& root, const Member& member);

/// Opens the folder `name` ("." is `root`) below `root`.
support::File open_folder_below(const support::File& root, std::string_view name);

/// The folder and the last component of a normal name.
struct SplitName {
  std::string_view folder;  ///< "." for a name without a slash
  std::string_view leaf;
};
SplitName split_name(std::string_view name);

}  // namespace mlf::archive
