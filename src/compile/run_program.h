// Runs an untrusted program with limits on time and memory: a user's compiler on an archive's C,
// and its output.
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
  std::uint64_t memory = 0;    ///< bytes of addresses of each process
  std::uint64_t file = 0;      ///< bytes of each file that is written
  std::size_t files = 10'000;  ///< that are made in $TMPDIR; counted several times a second
};

struct Program {
  std::vector<std::string> arguments;  ///< [0] is found in $PATH
  std::filesystem::path directory{};   ///< its working directory; empty: that of this process
  ProgramLimits limits{};
};

struct ProgramResult {
  int status = 0;      ///< its exit status; 128 + n if signal n ended it
  std::string fault;   ///< what it did wrong, such as "took longer than 60 s"; empty: nothing
  std::string errors;  ///< the beginning of what it wrote to standard error
};

/// Runs a program with empty standard input, discarded standard output, no core dump, at
/// most 1,024 open files in each process, and `work_directory` as $TMPDIR. Kills all processes that
/// it started when it ends, when its time is up, when it has made too many files in
/// `work_directory` or more than 256 processes, and when this process ends for any reason. Throws
/// `Error` of kind `usage`, or `io` where the system refuses it, if it cannot be started.
ProgramResult run_program(const Program& program, const WorkDirectory& work_directory);

inline bool is_success(const ProgramResult& result) {
  return result.fault.empty() && result.status == 0;
}

/// Its fault, or "ended with signal 9 (Killed)" or "ended with exit code 1".
std::string how_it_ended(const ProgramResult& result);

}  // namespace mlf::compile
