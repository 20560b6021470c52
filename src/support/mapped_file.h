// The bytes of a file, mapped read-only.
#pragma once

#include <string_view>

#include "support/file.h"

namespace mlf::support {

/// A mapping of a whole file. It outlives the descriptor and is not disturbed by a rename over the
/// file; a file truncated in place makes reads beyond its new end fail with SIGBUS.
class MappedFile {
 public:
  MappedFile() = default;
  explicit MappedFile(const File& file);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  std::string_view bytes() const noexcept { return bytes_; }

 private:
  std::string_view bytes_;
};

}  // namespace mlf::support
