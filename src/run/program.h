// The C program around an archive's C that runs one network.
#pragma once

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

}  // namespace mlf::run
