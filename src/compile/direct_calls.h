// Calls in machine code whose target the assembler has put into the instruction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <vector>

namespace mlf::compile {

enum class InstructionSet : std::uint8_t { x86_64, thumb, arm, aarch64, riscv };

/// Offsets are bytes from the beginning of the section.
struct DirectCall {
  std::uint64_t offset = 0;
  std::uint64_t target = 0;
};

/// The calls, and the jumps that end a function with a call, in `code`, which begins at `begin`.
/// Instructions at `relocated` offsets are left out: the linker puts their targets in.
///
/// Code of x86-64 is not taken apart into instructions: each byte that may begin a call is looked
/// at, so a target counts only where it is the first byte of a function. The same holds for data
/// between instructions.
std::vector<DirectCall> direct_calls(std::span<const std::byte> code, std::uint64_t begin,
                                     InstructionSet set, const std::set<std::uint64_t>& relocated);

}  // namespace mlf::compile
