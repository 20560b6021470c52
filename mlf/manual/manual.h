// The command line as data, and texts made from it: help, manual pages, completions for shells.
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

struct OptionText {
  std::vector<std::string> names;    ///< "-o", "--output"; of a positional one, "ARCHIVE"
  std::string value;                 ///< the kind of value: "FILE"; empty for flags
  std::vector<std::string> choices;  ///< all allowed values; empty: any
  std::string help;                  ///< lines "name  meaning" after the first one describe one
                                     ///< choice each
  std::string group;                 ///< the group in the help
  std::string usage;                 ///< of a positional one: "[ARCHIVE]", "ARCHIVE..."

  bool is_list = false;  ///< several values, separated by commas
  std::string rows;      ///< if values come from an archive: the kind of row and the column
  std::string column;    ///< of `mlf table` that has them

  bool takes_value() const { return !value.empty(); }
};

struct CommandText {
  std::string name;
  std::string help;    ///< a paragraph; its first clause is the summary
  std::string footer;  ///< lines of the help and of the manual page
  std::vector<OptionText> positionals;
  std::vector<OptionText> options;
  CommandNotes notes;
};

struct ProgramText {
  CommandText program;  ///< its options are common to all commands
  std::vector<CommandText> commands;
};

/// The options of `app`, which also parses them.
ProgramText describe(const CLI::App& app);

/// The first clause of a help text, which fits beside a name.
std::string first_clause(const std::string& help);
/// The usage line: "mlf plan [OPTIONS] [ARCHIVE]".
std::string usage_of(const CommandText& command);
/// "0 done; 1 a limit does not hold; 64 …".
std::string exit_codes_of(const CommandText& command);

/// The text of --help: lines of at most 80 columns.
std::string help_text(const ProgramText& text);
std::string help_text(const CommandText& command);

/// Makes --help print `help_text`.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override;
};

/// man(7) of the program itself: mlf.1.
std::string manual_page(const ProgramText& text);
/// man(7) of a command: mlf-COMMAND.1.
std::string manual_page(const CommandText& command);

/// In single quotes of a shell; `quote` is a single quote inside of them.
std::string quoted(const std::string& text, std::string_view quote);

std::string bash_completion(const ProgramText& text);
std::string zsh_completion(const ProgramText& text);
std::string fish_completion(const ProgramText& text);

}  // namespace mlf::program
