// The C program around an archive's C that runs one network.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "mlf/graph/topology.h"
#include "run/plan.h"

namespace mlf::run {

// Files in the program's directory.
inline constexpr std::string_view kInputs = "inputs";    ///< bytes that it reads, in order
inline constexpr std::string_view kResults = "results";  ///< bytes that it writes, in order

/// The name of the function that main calls in place of a kernel.
std::string hook_of(graph::CallId call);

/// The whole C program, without the archive's C.
std::string program_text(const RunPlan& plan);

/// A program that takes the time of each call.
struct Timing {
  /// C in front of it: the functions of `runtime_of_this_computer`, `uint64_t mlf_now(void)`, and a
  /// macro MLF_EMPTY with the assembly of a function `mlf_empty` that only returns.
  std::string_view runtime;
  std::uint64_t runs = 1;
};

/// Times that the program saves to learn its overhead for each call: before and after a call of an
/// empty kernel through a hook, after a direct one, then the two times of the hook. Behind them are
/// two times with nothing in between.
inline constexpr std::size_t kOverheads = 5;

/// The C program that takes times. Its results are, for each run, the beginning and the end of each
/// call and last of the network, then the times of the overhead, as uint64; and then the outputs.
/// The time of the network is only that of an AOT executor.
std::string program_text(const RunPlan& plan, const Timing& timing);

/// C with functions that a program on this computer uses: `mlf_fail`, `mlf_memory`, `mlf_read`,
/// `mlf_save`, `mlf_begin`, `mlf_end`, `mlf_rewind`, `mlf_check`, and those of TVM's runtime.
std::string_view runtime_of_this_computer();

}  // namespace mlf::run
