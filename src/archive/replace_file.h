// Replaces files atomically: one writer at a time, and readers see either the old file or the new
// one.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "archive/temporary.h"
#include "support/file.h"

namespace mlf::archive {

/// Returns the path with all symbolic links resolved, which an update replaces. Throws `io`.
std::string resolve(const std::string& path);

/// Opens a regular file or directory under an exclusive lock, which ends with the descriptor.
/// Returns the file that `resolved` names once the lock is held, even if another process replaced
/// it meanwhile. Throws `io`, also for files with several hard links, which a replacement would
/// separate.
support::File open_locked(const std::string& resolved, const std::string& path);

/// Throws `io` if a file must not be replaced: if it is not regular, or has hard links.
void check_replaceable(const struct stat& status, const std::string& path);

/// A new file in the directory of its target. It has no name if the file system supports that
/// (O_TMPFILE), and then vanishes when the process ends. Otherwise, and between naming and
/// renaming, it has a temporary name of temporary.h.
class Replacement {
 public:
  /// When the new file gets a name: just before it is renamed, or at once.
  enum class Naming : std::uint8_t { late_if_possible, at_once };

  /// `directory` contains the target `leaf`; `mode` is the mode before the umask.
  Replacement(support::File directory, std::string leaf, mode_t mode,
              Naming naming = Naming::late_if_possible);
  Replacement(const Replacement&) = delete;
  Replacement& operator=(const Replacement&) = delete;
  ~Replacement();

  const support::File& file() const noexcept { return file_; }

  /// Gives the new file the owner, the mode and the extended attributes (access lists among them)
  /// of `original`. Owner first: changing it clears the set-id bits. Returns a sentence for every
  /// attribute that is lost, because the system does not allow mlf to read or set it, or because
  /// the file system has no attributes. Throws `io` if the disk fails.
  std::vector<std::string> adopt(const support::File& original);

  /// Replaces the target by the new file: flushes it, renames it, flushes the directory.
  void commit();

 private:
  Replacement(support::File directory, std::string leaf);

  std::string path() const;
  /// Finds a free temporary name. `give` assigns it to the file, or returns false and sets errno.
  void take_name(const std::function<bool(const std::string&)>& give);

  support::File directory_;
  std::string leaf_;
  support::File file_;
  std::string temporary_;  ///< name in the directory; empty while it has none
  std::optional<NotedTemporary> noted_;
};

/// Writes new content to `path`: `fill` writes the replacement of a regular or missing file,
/// `stream` writes to anything else, such as a device or a FIFO. Owner, mode and attributes stay; a
/// new file gets `mode`, as far as the umask allows. Returns the result of `Replacement::adopt`.
/// Throws `io`.
std::vector<std::string> replace_file(const std::string& path, mode_t mode,
                                      const std::function<void(const support::File&)>& fill,
                                      const std::function<void(const support::File&)>& stream);

/// Opens the directory of `path`, for a Replacement.
support::File open_directory_of(const std::string& path);
std::string leaf_of(const std::string& path);

}  // namespace mlf::archive
