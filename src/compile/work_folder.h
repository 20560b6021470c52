// A temporary folder of our own that goes however this process ends.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string_view>

#include "support/file.h"

namespace mlf::compile {

/// A folder in $TMPDIR or /tmp, gone with this object. Where the process is killed, a child of it
/// removes the folder, once no program that runs in it (run_program.h) is left.
class WorkFolder {
 public:
  /// Throws `Error` of kind `io`.
  WorkFolder();
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;
  ~WorkFolder();

  const std::filesystem::path& path() const { return path_; }
  /// Writes a file; folders in `name` are created.
  void write(const std::filesystem::path& name, std::string_view text) const;

 private:
  std::filesystem::path path_;
  support::File alive_;  ///< the end of a pipe that is closed when this process is gone
  pid_t guard_ = -1;
};

}  // namespace mlf::compile
