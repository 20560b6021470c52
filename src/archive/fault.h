// Refusing a tar: the message, the member it concerns and the byte its header starts at.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

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

}  // namespace mlf::archive
