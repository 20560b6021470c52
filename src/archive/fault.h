// Refusing an archive: the message, the member that it concerns and the byte that its header starts
// at; limits that several readings share, and with them what is written.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "mlf/archive.h"

namespace mlf::archive {

/// A header of the tar. Everything that judges its fields reports through it.
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

/// The name as `printable` shows it, and no more than its beginning where it is long.
std::string printable_name(std::string_view name);

// All three throw `invalid_input` where the limit is exceeded.
void check_member_count(std::uint64_t members, const Limits& limits);
void check_member_size(std::uint64_t size, const std::string& member, const Limits& limits);
void check_total_size(std::uint64_t bytes, const Limits& limits);

}  // namespace mlf::archive
