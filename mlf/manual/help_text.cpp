// Prints the text of --help.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "manual/manual.h"
#include "manual/paragraph.h"
#include "support/lookup.h"

namespace mlf::program {
namespace {

// Longer names of options have their own line.
constexpr std::size_t kWidestName = 24;

std::string joined_names(const CLI::Option& option) {
  std::string text = fmt::format("{}", fmt::join(names_of_option(option), ", "));
  const std::string value = value_of(option);
  return value.empty() ? text : text + ' ' + value;
}

std::size_t column_of_texts(const CLI::App& command) {
  std::size_t width = 0;
  for (const Options& options : {positionals_of(command), options_of(command)}) {
    for (const CLI::Option* option : options) {
      const std::size_t size = joined_names(*option).size() + 4;
      if (size <= kWidestName) width = std::max(width, size);
    }
  }
  return width;
}

/// Options by purpose, in the order of the first option of each purpose.
std::string option_groups(const CLI::App& command, std::size_t column) {
  const Options options = options_of(command);
  std::vector<std::string> groups;
  for (const CLI::Option* option : options) support::add_once(groups, option->get_group());
  std::string text;
  for (const std::string& group : groups) {
    text += fmt::format("\n{}:\n", group);
    for (const CLI::Option* option : options) {
      if (option->get_group() != group) continue;
      text += entry(joined_names(*option), option->get_description(), column);
    }
  }
  return text;
}

/// One line for an example whose explanation fits beside the command, two for others.
std::string examples_of(const CommandNotes& notes) {
  constexpr std::size_t kIndent = 44;
  std::string text = notes.examples.empty() ? "" : "\nExamples:\n";
  for (const Example& example : notes.examples) {
    text += entry(fmt::format("$ {}", example.command), example.effect, kIndent);
  }
  return text;
}

std::string end_of_help(const CLI::App& command) {
  const CommandNotes notes = notes_of(command.get_name());
  return examples_of(notes) + '\n' + wrapped("Exit codes: " + exit_codes_of(command), 2) + '\n' +
         wrapped(fmt::format("See also: {}", fmt::join(notes.see_also, ", ")), 2) + '\n';
}

}  // namespace

std::string usage_of(const CLI::App& command) {
  std::string text = command.get_parent() == nullptr
                         ? "mlf COMMAND [OPTIONS] ..."
                         : fmt::format("mlf {} [OPTIONS]", command.get_name());
  for (const CLI::Option* positional : positionals_of(command)) text += ' ' + usage_of(*positional);
  return text;
}

std::string exit_codes_of(const CLI::App& command) {
  const std::string_view exit_1 = notes_of(command.get_name()).exit_1;
  const std::string failed = exit_1.empty() ? "" : fmt::format(" 1 {};", exit_1);
  return fmt::format(
      "0 done;{} 64 wrong use of the command line; 65 invalid input; 70 internal error; 74 "
      "input/output error",
      failed);
}

std::string HelpFormatter::make_help(const CLI::App* app, std::string /*name*/,
                                     CLI::AppFormatMode /*mode*/) const {
  const std::size_t column = column_of_texts(*app);
  std::string text =
      fmt::format("Usage: {}\n\n{}\n", usage_of(*app), wrapped(app->get_description() + '.', 0));
  const Options positionals = positionals_of(*app);
  if (!positionals.empty()) text += '\n';
  for (const CLI::Option* positional : positionals) {
    text += entry(positional->get_name(), positional->get_description(), column);
  }
  const std::vector<const CLI::App*> commands = commands_of(*app);
  if (!commands.empty()) text += "\nCommands:\n";
  for (const CLI::App* command : commands) {
    text += entry(command->get_name(), first_clause(command->get_description()), 12);
  }
  text += option_groups(*app, column);
  if (!app->get_footer().empty()) text += '\n' + app->get_footer();
  return text + end_of_help(*app);
}

}  // namespace mlf::program
