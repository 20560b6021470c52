// The boards of QEMU that programs run on, and what a program needs there and on this computer.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mlf::run {

/// The C in front of a program on this computer. TVM's runtime provides the functions at its end.
std::string_view host_runtime();
/// Follows `host_runtime`: the time in nanoseconds.
std::string_view host_clock();

inline constexpr std::uint32_t kMiB = 1 << 20;

struct Region {
  std::uint32_t begin = 0;
  std::uint32_t bytes = 0;
};

/// Where parts of a program are in a board's memory.
struct Layout {
  Region code;  ///< functions and constants
  Region data;  ///< everything else, the stack first
  std::uint32_t stack = 0;
};

/// What an emulated clock counts.
struct Counter {
  /// The length of a tick of SysTick, in quarters of a nanosecond; 0: it counts instructions.
  std::uint32_t tick = 0;
  /// The emulator takes 2 to the power of this many nanoseconds for an instruction.
  std::uint32_t shift = 0;
};

struct Board {
  std::string_view cpu;
  std::string_view compiler;  ///< the command of Debian
  std::string_view packages;  ///< of Debian, with compiler, C library and emulator
  std::string_view machine;
  std::string_view emulator;
  std::vector<std::string> arguments;  ///< of the emulator, beside machine and files
  std::vector<std::string> flags;      ///< of the compiler
  std::vector<std::string> link;       ///< only when it links
  std::string runtime;                 ///< C in front of the program
  Region vectors;                      ///< of a Cortex-M; no bytes: there are none
  std::vector<Layout> layouts;         ///< to be tried in this order
  Counter counter;
};

std::span<const Board> boards();

std::string linker_script(const Board& board, const Layout& layout);

/// The number of instructions since the counter began, for a time that the program saved.
std::uint64_t instructions_at(const Counter& counter, std::uint64_t time);

}  // namespace mlf::run
