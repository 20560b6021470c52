// Writing a file so that everybody sees either the old one or the new one, never a half.
#pragma once

#include <cstdint>
#include <string>

#include "support/file.h"

namespace mlf::archive {

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
