// Stack frames of functions, from the tables that unwinders read (.eh_frame, .debug_frame): the
// farthest that the frame's address is from the stack pointer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>

namespace mlf::compile {

/// A place in a section of an object file.
struct SectionPlace {
  std::size_t section = 0;
  std::uint64_t offset = 0;
  friend auto operator<=>(const SectionPlace&, const SectionPlace&) = default;
};

/// A table, and what a linker would write into it.
struct UnwindTable {
  std::span<const std::byte> bytes{};
  bool is_eh_frame = true;  ///< else .debug_frame
  std::size_t address_bytes = 8;
  /// By the offset of the field. The addends that files of type REL have in the fields are in them.
  std::map<std::uint64_t, SectionPlace> relocations{};
};

/// Bytes of each frame, by where the function begins: return address and saved registers included,
/// frames of what it calls not. Nothing for one whose size is not a number
/// (DW_CFA_def_cfa_register: a frame pointer). A table that cannot be read to its end has the
/// frames up to there. DWARF 5, 6.4.
std::map<SectionPlace, std::optional<std::uint64_t>> unwind_frames(const UnwindTable& table);

}  // namespace mlf::compile
