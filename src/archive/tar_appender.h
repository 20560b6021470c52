// New members behind the ones a tar already has.
#pragma once

#include <cstdint>
#include <string>

#include "archive/rewrite.h"
#include "support/file.h"

namespace mlf::archive {

/// Writes new members at the end of a tar under construction. Headers are ustar; a PAX header
/// goes before it where ustar cannot say it (long names, large ids). What is written depends on
/// the new member alone.
class TarAppender {
 public:
  /// `out` is at its end, `offset`; `prefix` goes before every name ("./" or nothing).
  TarAppender(const support::File& out, std::uint64_t offset, std::string prefix)
      : out_(out), offset_(offset), prefix_(std::move(prefix)) {}

  /// Streams the content straight to the file and completes the header afterwards, so that no
  /// content stays in memory.
  void append(const NewMember& member);

  /// Ends the archive: two zero blocks, and padding to whole records where `whole_records`.
  /// Otherwise it ends off the record boundary, so that nobody mistakes it for the other kind.
  enum class Padding : std::uint8_t { blocks, records };
  void finish(Padding padding);

 private:
  void put(std::string_view bytes);
  void put_padding(std::uint64_t unit);

  const support::File& out_;
  std::uint64_t offset_;
  std::string prefix_;
};

}  // namespace mlf::archive
