// Replacing a file: one writer at a time, and everybody sees either the old one or the new one,
// never a half.
#pragma once

#include <cstdint>
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

/// A new file in the folder of its target, without a name where the file system allows that
/// (O_TMPFILE): it then vanishes with the process, however that ends. Otherwise, and for the
/// moment between naming and renaming, it is called ".mlf-<random>".
class Replacement {
 public:
  /// When the new file gets a name: only to be renamed, or at once.
  enum class Naming : std::uint8_t { late_if_possible, at_once };

  /// `folder` is where the target `leaf` lives; `mode` is what the umask is applied to.
  Replacement(support::File folder, std::string leaf, mode_t mode,
              Naming naming = Naming::late_if_possible);
  Replacement(const Replacement&) = delete;
  Replacement& operator=(const Replacement&) = delete;
  ~Replacement();

  const support::File& file() const noexcept { return file_; }

  /// Gives the new file the owner, the mode and the extended attributes of `original`. Owner
  /// first: changing it clears the set-id bits.
  void adopt(const support::File& original);

  /// Puts the new file in the target's place: flushes it, renames it, flushes the folder.
  void commit();

 private:
  void give_name();

  support::File folder_;
  std::string leaf_;
  support::File file_;
  std::string temporary_;  ///< name in the folder, empty while there is none
};

/// Opens the folder of `path`, for a Replacement.
support::File open_folder_of(const std::string& path);
std::string leaf_of(const std::string& path);

}  // namespace mlf::archive
