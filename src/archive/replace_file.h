// Replacing a file: one writer at a time, and everybody sees either the old one or the new one,
// never a half.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "archive/temporary.h"
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

/// A new file in the directory of its target, without a name where the file system allows that
/// (O_TMPFILE): it then vanishes with the process, however that ends. Otherwise, and for the
/// moment between naming and renaming, it has a name that temporary.h gives.
class Replacement {
 public:
  /// When the new file gets a name: only to be renamed, or at once.
  enum class Naming : std::uint8_t { late_if_possible, at_once };

  /// `directory` is where the target `leaf` lives; `mode` is what the umask is applied to.
  Replacement(support::File directory, std::string leaf, mode_t mode,
              Naming naming = Naming::late_if_possible);
  Replacement(const Replacement&) = delete;
  Replacement& operator=(const Replacement&) = delete;
  ~Replacement();

  const support::File& file() const noexcept { return file_; }

  /// Gives the new file the owner, the mode and the extended attributes (access lists among them)
  /// of `original`. Owner first: changing it clears the set-id bits. Returns a sentence for every
  /// attribute that is lost, because the system does not let us read or set it or the file system
  /// has no attributes. Throws `io` where the disk fails.
  std::vector<std::string> adopt(const support::File& original);

  /// Puts the new file in the target's place: flushes it, renames it, flushes the directory.
  void commit();

 private:
  std::string path() const;
  /// Finds a temporary name that is free. `give` gives it to the file; false leaves why in errno.
  void take_name(const std::function<bool(const std::string&)>& give);

  support::File directory_;
  std::string leaf_;
  support::File file_;
  std::string temporary_;  ///< name in the directory, empty while there is none
  std::optional<NotedTemporary> noted_;
};

/// Gives `path` a new content: a regular file, or none yet, is replaced by what `fill` writes; to
/// anything else, a device or a FIFO, `stream` writes. Owner, mode and attributes stay; a new file
/// gets `mode`, as far as the umask allows. Returns what `Replacement::adopt` says. Throws `io`.
std::vector<std::string> replace_file(const std::string& path, mode_t mode,
                                      const std::function<void(const support::File&)>& fill,
                                      const std::function<void(const support::File&)>& stream);

/// Opens the directory of `path`, for a Replacement.
support::File open_directory_of(const std::string& path);
std::string leaf_of(const std::string& path);

}  // namespace mlf::archive
