// Rejecting an archive: the message, the member and the offset of its header; and limits that all
// readers and the writers check.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "mlf/archive.h"

namespace mlf::archive {

/// A header of the tar. Checks of its fields report through it.
struct HeaderPlace {
  std::uint64_t offset = 0;
  std::string member;  ///< printable name, empty while unknown

  /// Throws `invalid_input`: "<message> (header at byte <offset>)".
  [[noreturn]] void fail(std::string_view message) const;
};

/// Throws `invalid_input` about the archive as a whole.
[[noreturn]] void refuse(std::string message);
/// Throws `invalid_input` about one member.
[[noreturn]] void refuse(std::string message, std::string member);

/// Returns the name as `printable`, shortened if it is long.
std::string printable_name(std::string_view name);

// All three throw `invalid_input` if the limit is exceeded.
void check_member_count(std::uint64_t members, const Limits& limits);
void check_member_size(std::uint64_t size, const std::string& member, const Limits& limits);
void check_total_size(std::uint64_t bytes, const Limits& limits);

}  // namespace mlf::archive
