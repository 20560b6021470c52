// A named text of the input, and places in it, which are computed only for reports.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "mlf/diagnostics.h"

namespace mlf::support {

/// A place in a text whose line is known.
struct CountedLines {
  std::size_t offset = 0;
  std::uint32_t line = 1;
  std::size_t line_begin = 0;  ///< offset of its first byte
};

/// The text of one member or file. Does not own the bytes, which must outlive it.
struct SourceText {
  std::string file;    ///< archive or bare file, for messages
  std::string member;  ///< archive member, empty for a bare file
  std::string_view text;
  /// Lines after this place are counted from here. Readers that continue after errors move it
  /// forward, so that the lines of the whole text are counted once.
  CountedLines counted{};

  /// Line, column and clipped source line of the byte at `offset` (clamped to the end of the text).
  Location locate(std::size_t offset, std::size_t length = 1) const;
  /// Moves `counted` forward to `offset`.
  void count_lines_to(std::size_t offset);

 private:
  CountedLines counted_to(std::size_t offset) const;
};

/// Throws an `Error` of kind `invalid_input` that points at `offset`.
[[noreturn]] void fail_at(const SourceText& source, std::size_t offset, std::string message,
                          std::size_t length = 1);

}  // namespace mlf::support
