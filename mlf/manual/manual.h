// The command line as data, and what is made of it: manual pages, and completions for shells.
#pragma once

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <string>
#include <vector>

#include "mlf/diagnostics.h"

namespace mlf::program {

struct OptionText {
  std::vector<std::string> names;    ///< "-o", "--output"; of a positional one, "ARCHIVE"
  std::string value;                 ///< what is to be put in: "FILE"; empty for flags
  std::vector<std::string> choices;  ///< all that may be put in; empty: anything
  std::string initial;               ///< the default; empty: none
  std::string help;

  bool takes_value() const { return !value.empty(); }
};

struct CommandText {
  std::string name;
  std::string help;
  std::string footer;
  std::vector<OptionText> positionals;
  std::vector<OptionText> options;
};

struct ProgramText {
  CommandText program;  ///< its options are those that every command has
  std::vector<CommandText> commands;
};

/// What is declared in `app`, which is the table that parses as well.
ProgramText describe(const CLI::App& app);

/// The first clause of a help text: what fits beside a name.
std::string first_clause(const std::string& help);
/// What fits beside the name of an option.
std::string summary(const OptionText& option);

/// man(7) of the program itself: mlf.1.
std::string manual_page(const ProgramText& text);
/// man(7) of a command: mlf-COMMAND.1.
std::string manual_page(const CommandText& command);

std::string bash_completion(const ProgramText& text);
std::string zsh_completion(const ProgramText& text);
std::string fish_completion(const ProgramText& text);

/// Writes all of them below `folder` as they are installed below share/. Errors: `io`.
Result<void> write_manual(const ProgramText& text, const std::string& folder);

}  // namespace mlf::program
