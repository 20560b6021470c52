// The C program around an archive's C that runs one network.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "edit/edited_archive.h"
#include "mlf/deployment.h"
#include "run/plan.h"

namespace mlf::run {

// Files in the program's directory.
inline constexpr std::string_view kInputs = "inputs";    ///< bytes that it reads, in order
inline constexpr std::string_view kResults = "results";  ///< bytes that it writes, in order

/// Generated C in which main calls a hook of the program in place of each kernel, with the same
/// arguments. Throws `Error` as `edit::calls_of_main` does.
edit::EditedMembers with_hooks(const Deployment& deployment, const Network& network);

struct Program {
  /// C in front of it, of run/boards.h. Where times are taken, with `uint64_t mlf_now(void)` and
  /// a macro MLF_EMPTY with the assembly of a function `mlf_empty` that only returns.
  std::string runtime;
  /// Runs in which it takes the time of each call; 0: it runs once and saves the tensors of calls.
  std::uint64_t timed_runs = 0;
};

/// Times that the program saves to learn its overhead for each call: before and after a call of an
/// empty kernel through a hook, after a direct one, then the two times of the hook. Behind them are
/// two times with nothing in between.
inline constexpr std::size_t kOverheads = 5;

/// The C program around the archive's C. If it takes times, its results are, for each run, the
/// beginning and the end of each call and last of the network, then the times of the overhead, as
/// uint64; and then the outputs. The time of the network is only that of an AOT executor.
std::string program_text(const RunPlan& plan, const Program& program);

}  // namespace mlf::run
