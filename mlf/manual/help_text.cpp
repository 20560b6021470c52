// Prints the text of --help.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "manual/manual.h"
#include "manual/paragraph.h"

namespace mlf::program {
namespace {

// Longer names of options have their own line.
constexpr std::size_t kWidestName = 24;

std::string joined_names(const OptionText& option) {
  std::string text = fmt::format("{}", fmt::join(option.names, ", "));
  if (option.takes_value()) text += ' ' + option.value;
  return text;
}

std::size_t column_of_texts(const CommandText& command) {
  std::size_t width = 0;
  const auto measure = [&](const std::vector<OptionText>& options) {
    for (const OptionText& option : options) {
      const std::size_t size = joined_names(option).size() + 4;
      if (size <= kWidestName) width = std::max(width, size);
    }
  };
  measure(command.positionals);
  measure(command.options);
  return width;
}

/// Options by purpose, in the order of the first option of each purpose.
std::string option_groups(const CommandText& command, std::size_t column) {
  std::vector<std::string> groups;
  for (const OptionText& option : command.options) {
    if (std::ranges::find(groups, option.group) == groups.end()) groups.push_back(option.group);
  }
  std::string text;
  for (const std::string& group : groups) {
    text += fmt::format("\n{}:\n", group);
    for (const OptionText& option : command.options) {
      if (option.group == group) text += entry(joined_names(option), option.help, column);
    }
  }
  return text;
}

/// One line for an example whose explanation fits beside the command, two for others.
std::string examples_of(const CommandText& command) {
  constexpr std::size_t kIndent = 44;
  std::string text = command.notes.examples.empty() ? "" : "\nExamples:\n";
  for (const Example& example : command.notes.examples) {
    text += entry(fmt::format("$ {}", example.command), example.effect, kIndent);
  }
  return text;
}

std::string see_also(const CommandText& command) {
  return wrapped(fmt::format("See also: {}", fmt::join(command.notes.see_also, ", ")), 2) + '\n';
}

std::string end_of_help(const CommandText& command) {
  return examples_of(command) + '\n' + wrapped("Exit codes: " + exit_codes_of(command), 2) + '\n' +
         see_also(command);
}

std::string head_of(const CommandText& command) {
  return fmt::format("Usage: {}\n\n{}\n", usage_of(command), wrapped(command.help + '.', 0));
}

std::string footer_of(const CommandText& command) {
  return command.footer.empty() ? "" : '\n' + command.footer;
}

}  // namespace

std::string usage_of(const CommandText& command) {
  std::string text = command.name == "mlf" ? "mlf COMMAND [OPTIONS] ..."
                                           : fmt::format("mlf {} [OPTIONS]", command.name);
  for (const OptionText& positional : command.positionals) text += ' ' + positional.usage;
  return text;
}

std::string exit_codes_of(const CommandText& command) {
  const std::string failed =
      command.notes.exit_1.empty() ? "" : fmt::format(" 1 {};", command.notes.exit_1);
  return fmt::format(
      "0 done;{} 64 wrong use of the command line; 65 invalid input; 70 internal error; 74 "
      "input/output error",
      failed);
}

std::string help_text(const CommandText& command) {
  const std::size_t column = column_of_texts(command);
  std::string text = head_of(command);
  if (!command.positionals.empty()) text += '\n';
  for (const OptionText& positional : command.positionals) {
    text += entry(positional.names.front(), positional.help, column);
  }
  text += option_groups(command, column);
  return text + footer_of(command) + end_of_help(command);
}

std::string help_text(const ProgramText& text) {
  std::string out = head_of(text.program) + "\nCommands:\n";
  for (const CommandText& command : text.commands) {
    out += entry(command.name, first_clause(command.help), 12);
  }
  out += option_groups(text.program, column_of_texts(text.program));
  return out + footer_of(text.program) + end_of_help(text.program);
}

std::string HelpFormatter::make_help(const CLI::App* app, std::string /*name*/,
                                     CLI::AppFormatMode /*mode*/) const {
  const ProgramText text = describe(*app);
  return text.commands.empty() ? help_text(text.program) : help_text(text);
}

}  // namespace mlf::program
