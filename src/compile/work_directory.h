// A temporary directory that is removed however this process ends.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string_view>

#include "support/file.h"

namespace mlf::compile {

/// A directory in $TMPDIR or /tmp, removed with this object. If the process is killed, a child
/// process removes the directory when the last program in it (run_program.h) has ended.
class WorkDirectory {
 public:
  /// Throws `Error` of kind `io`.
  WorkDirectory();
  WorkDirectory(const WorkDirectory&) = delete;
  WorkDirectory& operator=(const WorkDirectory&) = delete;
  ~WorkDirectory();

  const std::filesystem::path& path() const { return path_; }
  /// Writes a file in place of an old one; directories in `name` are created.
  void write(const std::filesystem::path& name, std::string_view text) const;

 private:
  std::filesystem::path path_;
  support::File alive_;  ///< the end of a pipe that closes when this process ends
  pid_t guard_ = -1;
};

}  // namespace mlf::compile
