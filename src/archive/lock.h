// One update of an archive at a time.
#pragma once

#include <string>

#include "support/file.h"

namespace mlf::archive {

/// The path behind all symbolic links; what an update replaces. Throws `io`.
std::string resolve(const std::string& path);

/// Opens a regular file or directory under an exclusive lock, which ends with the descriptor. What
/// comes back is what `resolved` names at this moment, even if others replaced it meanwhile.
/// Throws `io`, also for files with several hard links: replacing would tear them apart.
support::File open_locked(const std::string& resolved, const std::string& path);

/// Throws `io` if a file cannot be replaced without harm: not regular, or with hard links.
void check_replaceable(const struct stat& status, const std::string& path);

}  // namespace mlf::archive
