// Calls in machine code whose targets the assembler has resolved.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <vector>

namespace mlf::compile {

/// i386 has the calls of x86-64. RV32 alone has C.JAL.
enum class InstructionSet : std::uint8_t { x86_64, thumb, arm, aarch64, riscv32, riscv64 };

/// Offsets are bytes from the beginning of the section.
struct DirectCall {
  std::uint64_t offset = 0;
  std::uint64_t target = 0;
  bool returns = false;  ///< else it is a jump
};

/// The calls and tail calls in `code`, which begins at `begin`. Leaves out instructions at
/// `relocated` offsets, whose targets the linker fills in.
/// Does not decode x86-64 into instructions, but tries each byte that may begin a call. Therefore a
/// target counts only if it is the first byte of a function. The same rule applies to data between
/// instructions.
std::vector<DirectCall> direct_calls(std::span<const std::byte> code, std::uint64_t begin,
                                     InstructionSet set, const std::set<std::uint64_t>& relocated);

}  // namespace mlf::compile
