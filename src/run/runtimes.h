// The C in front of a program that runs a network: its start, memory, files and end.
#pragma once

#include <string>
#include <string_view>

namespace mlf::run {

/// For a Cortex-M with a UART of CMSDK at MLF_UART.
std::string_view cortex_m_runtime();
/// For the board `virt` with a 32-bit RISC-V.
std::string_view riscv_runtime();
/// Follows one of these: memory, inputs and results of a program on a board.
std::string_view board_runtime();
/// For this computer. TVM's runtime provides the functions at its end.
std::string_view host_runtime();
/// Follows `host_runtime`: the time in nanoseconds.
std::string_view host_clock();

}  // namespace mlf::run
