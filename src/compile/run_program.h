// Runs a program and waits for it, not for ever.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace mlf::compile {

struct ProgramResult {
  int status = 0;  ///< its exit status; 128 + n where signal n ended it
  bool timed_out = false;
  std::string errors;  ///< the beginning of what it wrote to standard error
};

/// Runs `arguments[0]`, looked for in $PATH, in its own process group, with nothing on standard
/// input and standard output; whatever of the group is left when the time is up is killed. Throws
/// `Error` of kind `usage` where it cannot be started.
ProgramResult run_program(const std::vector<std::string>& arguments,
                          std::chrono::milliseconds timeout);

}  // namespace mlf::compile
