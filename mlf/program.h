// The program `mlf`: its command line, and the exit code that its shell sees.
#pragma once

namespace mlf::program {

/// Parses the command line, runs the command it names and returns the exit code: 0, 1, 64, 65, 70
/// or 74.
int run(int argc, const char* const* argv);

}  // namespace mlf::program
