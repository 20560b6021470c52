// The end of a process that ran a network, and what it wrote.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "compile/run_program.h"

namespace mlf::run {

/// The message of the program, or the reason why its process ended.
std::string why_it_ended(const compile::ProgramResult& result);

/// Reads a file of exactly `size` bytes. Throws `Error` (invalid_input) for anything else.
std::string read_results(const std::filesystem::path& path, std::uint64_t size);

}  // namespace mlf::run
