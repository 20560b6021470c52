// A named text of the input and the places in it, computed only when something is reported.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "mlf/diagnostics.h"

namespace mlf::support {

/// Text of one member or file. Does not own the bytes: they outlive every use of it.
struct SourceText {
  std::string file;    ///< archive or bare file, for messages
  std::string member;  ///< archive member, empty for a bare file
  std::string_view text;

  /// Line, column and clipped source line of the byte at `offset` (clamped to the end of the text).
  Location locate(std::size_t offset, std::size_t length = 1) const;
};

/// Throws an `Error` of kind `invalid_input` that points at `offset`.
[[noreturn]] void fail_at(const SourceText& source, std::size_t offset, std::string message,
                          std::size_t length = 1);

}  // namespace mlf::support
