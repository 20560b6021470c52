// Texts made from the options of the command line: help, manual pages, completions for shells.
#pragma once

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace mlf::program {

/// An example: a command line, and its meaning.
struct Example {
  std::string_view command;
  std::string_view effect;
};

/// Parts of a command's help and manual page besides its options.
struct CommandNotes {
  std::string_view command;  ///< "process"; "mlf" is the program
  std::vector<Example> examples;
  std::string_view exit_1;                 ///< when the exit code is 1; empty: never
  std::vector<std::string_view> see_also;  ///< commands, and files of the repository
  std::string (*details)() = nullptr;      ///< lines of the manual page only
};

/// Returns the notes of `command`; empty if the table has none.
CommandNotes notes_of(std::string_view command);

/// The commands of the program.
std::vector<const CLI::App*> commands_of(const CLI::App& program);

using Options = std::vector<const CLI::Option*>;
/// The options of a command with names, and its arguments without. Those of the program are common
/// to all commands.
Options options_of(const CLI::App& command);
Options positionals_of(const CLI::App& command);

/// "-o", "--output"; of a positional one, "ARCHIVE".
std::vector<std::string> names_of_option(const CLI::Option& option);
/// The kind of value: "FILE"; empty for flags and positional ones.
std::string value_of(const CLI::Option& option);
/// All allowed values; empty: any.
std::vector<std::string> choices_of(const CLI::Option& option);
/// Of a positional one: "[ARCHIVE]", "ARCHIVE...".
std::string usage_of(const CLI::Option& option);

/// The first clause of a help text, which fits beside a name.
std::string first_clause(const std::string& help);
/// The usage line: "mlf plan [OPTIONS] [ARCHIVE]".
std::string usage_of(const CLI::App& command);
/// "0 done; 1 a limit does not hold; 64 …".
std::string exit_codes_of(const CLI::App& command);

/// Makes the text of --help, of a command or of the program: lines of at most 80 columns.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override;
};

/// man(7) of the program, mlf.1, or of a command, mlf-COMMAND.1.
std::string manual_page(const CLI::App& app);

/// In single quotes of a shell; `quote` is a single quote inside of them.
std::string quoted(const std::string& text, std::string_view quote);

std::string bash_completion(const CLI::App& program);
std::string zsh_completion(const CLI::App& program);
std::string fish_completion(const CLI::App& program);

}  // namespace mlf::program
