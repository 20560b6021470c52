// A temporary directory of our own that goes however this process ends.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string_view>

#include "support/file.h"

namespace mlf::compile {

/// A directory in $TMPDIR or /tmp, gone with this object. Where the process is killed, a child of
/// it removes the directory, once no program that runs in it (run_program.h) is left.
class WorkDirectory {
 public:
  /// Throws `Error` of kind `io`.
  WorkDirectory();
  WorkDirectory(const WorkDirectory&) = delete;
  WorkDirectory& operator=(const WorkDirectory&) = delete;
  ~WorkDirectory();

  const std::filesystem::path& path() const { return path_; }
  /// Writes a file; directories in `name` are created.
  void write(const std::filesystem::path& name, std::string_view text) const;

 private:
  std::filesystem::path path_;
  support::File alive_;  ///< the end of a pipe that is closed when this process is gone
  pid_t guard_ = -1;
};

}  // namespace mlf::compile
