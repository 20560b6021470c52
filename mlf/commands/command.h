// What a command of the program is.
#pragma once

#include <functional>

#include "options.h"
#include "output.h"

namespace mlf::program {

/// What every command gets to work with.
struct Context {
  const Console& console;
  const Limits& limits;
};

/// A subcommand that declared itself on the command line, and what runs it when it was chosen.
struct Command {
  CLI::App* app;
  std::function<int(const Context&)> run;  ///< returns the exit code
};

Command check_command(CLI::App& parent);
Command diff_command(CLI::App& parent);
Command graph_command(CLI::App& parent);
Command help_command(CLI::App& parent);
Command inspect_command(CLI::App& parent);
Command optimize_command(CLI::App& parent);
Command plan_command(CLI::App& parent);
Command process_command(CLI::App& parent);
Command report_command(CLI::App& parent);
Command run_command(CLI::App& parent);
Command show_command(CLI::App& parent);
Command table_command(CLI::App& parent);
Command tir_command(CLI::App& parent);
Command verify_command(CLI::App& parent);

}  // namespace mlf::program
