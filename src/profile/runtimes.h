// The C in front of a program that measures calls: its start and end on a board, and its clock.
#pragma once

#include <string>
#include <string_view>

namespace mlf::profile {

/// For a Cortex-M with a UART of CMSDK at MLF_UART.
std::string_view cortex_m_runtime();
/// For the board `virt` with a 32-bit RISC-V.
std::string_view riscv_runtime();
/// Follows one of these: memory, inputs and results of a program on a board.
std::string_view board_runtime();
/// For this computer: the time in nanoseconds.
std::string host_runtime();

}  // namespace mlf::profile
