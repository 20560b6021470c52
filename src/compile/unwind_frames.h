// Stack frames of functions, from the tables that unwinders read (.eh_frame, .debug_frame): the
// farthest that the frame's address is from the stack pointer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>

namespace mlf::compile {

/// A place in a section of an object file.
struct SectionPlace {
  std::size_t section = 0;
  std::uint64_t offset = 0;
  friend auto operator<=>(const SectionPlace&, const SectionPlace&) = default;
};

/// A table with its relocations.
struct UnwindTable {
  std::span<const std::byte> bytes{};
  bool is_eh_frame = true;  ///< else .debug_frame
  std::size_t address_bytes = 8;
  /// Relocations by the offset of the field. They include the addends that REL files store in the
  /// fields.
  std::map<std::uint64_t, SectionPlace> relocations{};
};

/// Returns the bytes of each frame by the start of its function, including return address and saved
/// registers, without frames of called functions. A frame without a constant size is empty
/// (DW_CFA_def_cfa_register: a frame pointer). If a table cannot be read to its end, returns the
/// frames up to there. See DWARF 5, 6.4.
std::map<SectionPlace, std::optional<std::uint64_t>> unwind_frames(const UnwindTable& table);

}  // namespace mlf::compile
