// Runs a program that is not trusted to end, nor to be small: a user's compiler over an archive's
// C, and what it makes of it.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "compile/work_directory.h"

namespace mlf::compile {

struct ProgramLimits {
  std::chrono::milliseconds time{};
  std::uint64_t memory = 0;  ///< bytes of addresses of each process
  std::uint64_t file = 0;    ///< bytes of each file that is written
};

struct Program {
  std::vector<std::string> arguments;  ///< [0] is looked for in $PATH
  std::filesystem::path directory{};   ///< where it starts; empty: where this process is
  ProgramLimits limits{};
};

struct ProgramResult {
  int status = 0;  ///< its exit status; 128 + n where signal n ended it
  bool timed_out = false;
  std::string errors;  ///< the beginning of what it wrote to standard error
};

/// Runs a program, with nothing on standard input and standard output, no core, and the directory
/// as $TMPDIR. When it ends, when its time is up and when this process ends, however it does, all
/// processes that it started are killed. Throws `Error` of kind `usage` where it cannot be started.
ProgramResult run_program(const Program& program, const WorkDirectory& directory);

}  // namespace mlf::compile
