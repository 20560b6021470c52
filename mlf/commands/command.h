// The interface of a command of the program.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "mlf/analysis/cost.h"
#include "options.h"
#include "output.h"

namespace mlf::program {

/// The context of every command.
struct Context {
  const Console& console;
  const DeploymentOptions& limits;
  const std::string& words;  ///< the command line, quoted for a shell
};

/// A subcommand that was declared on the command line, and the function that runs it.
struct Command {
  CLI::App* app;
  /// Adds its options. Needed before the command is parsed or described.
  std::function<void()> declare;
  /// Returns the exit code. Throws `Error`.
  std::function<int(const Context&)> run;
};

/// A subcommand without options yet: `declare` adds them, and `run` reads them.
template <class Arguments>
Command make_command(CLI::App& parent, const std::string& name, const std::string& description,
                     void (*declare)(CLI::App&, Arguments&),
                     int (*run)(const Arguments&, const Context&)) {
  CLI::App* app = parent.add_subcommand(name, description);
  // Shared with CLI11's callbacks, which outlive this function.
  const auto options = std::make_shared<Arguments>();
  return {app, [app, options, declare] { declare(*app, *options); },
          [options, run](const Context& context) { return run(*options, context); }};
}

Command check_command(CLI::App& parent);
Command diff_command(CLI::App& parent);
Command graph_command(CLI::App& parent);
Command help_command(CLI::App& parent);
Command inspect_command(CLI::App& parent);
Command optimize_command(CLI::App& parent);
Command plan_command(CLI::App& parent);
Command process_command(CLI::App& parent);
Command profile_command(CLI::App& parent);
Command report_command(CLI::App& parent);
Command run_command(CLI::App& parent);
Command show_command(CLI::App& parent);
Command table_command(CLI::App& parent);
Command tir_command(CLI::App& parent);
Command verify_command(CLI::App& parent);

// Titles of sentences about numbers.
constexpr std::string_view kWhyNotExact = "Why numbers are not exact";
constexpr std::string_view kContradicts = "The archive contradicts itself: numbers may be wrong";

/// Empty for findings without bytes.
std::string bytes_text(const analysis::Count& bytes);

/// The columns of `mlf table` for every kind of row: a line with the meaning of each.
std::string row_columns_text();

}  // namespace mlf::program
