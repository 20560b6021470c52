#include <algorithm>

#include "manual/manual.h"

namespace mlf::program {
namespace {

/// CLI11 stores the values that a check allows only as text: "TEXT:{inline,npy,none}".
std::vector<std::string> choices_in(const std::string& type) {
  const std::size_t begin = type.find(":{");
  if (begin == std::string::npos || !type.ends_with('}')) return {};
  std::vector<std::string> choices{""};
  for (const char c : type.substr(begin + 2, type.size() - begin - 3)) {
    if (c == ',') {
      choices.emplace_back();
    } else {
      choices.back() += c;
    }
  }
  return choices;
}

OptionText describe_option(const CLI::Option& option) {
  OptionText text;
  for (const std::string& name : option.get_snames()) text.names.push_back('-' + name);
  for (const std::string& name : option.get_lnames()) text.names.push_back("--" + name);
  const bool is_flag = option.get_type_size_max() == 0;
  if (option.get_positional()) {
    text.names = {option.get_name()};
    const bool several = option.get_items_expected_max() > 1;
    text.usage = option.get_name() + (several ? "..." : "");
    if (!option.get_required()) text.usage = '[' + text.usage + ']';
  } else if (!is_flag) {
    // The text after the colon is the check's own description.
    const std::string type = option.get_type_name();
    text.value = type.substr(0, type.find(':'));
  }
  text.choices = choices_in(option.get_type_name());
  text.help = option.get_description();
  text.group = option.get_group();
  text.is_list = option.get_delimiter() != '\0';
  const std::string& name = option.get_positional() ? option.get_name() : text.value;
  if (name == "KERNEL") {
    text.rows = "call";
    text.column = "kernel";
  } else if (name == "CONSTANT") {
    text.rows = "constant";
    text.column = "constant";
  } else if (name == "MODULE") {
    text.rows = "archive";
    text.column = "module";
  }
  return text;
}

CommandText describe_command(const CLI::App& app) {
  CommandText text{.name = app.get_name(),
                   .help = app.get_description(),
                   .footer = app.get_footer(),
                   .positionals = {},
                   .options = {},
                   .notes = notes_of(app.get_name())};
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;  // a former name, which no text shows
    auto& list = option->get_positional() ? text.positionals : text.options;
    list.push_back(describe_option(*option));
  }
  return text;
}

}  // namespace

ProgramText describe(const CLI::App& app) {
  ProgramText text{describe_command(app), {}};
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    text.commands.push_back(describe_command(*command));
  }
  return text;
}

std::string first_clause(const std::string& help) {
  std::size_t end = help.size();
  for (const std::string_view stop : {"; ", ". ", ": ", " (", ":\n"})
    end = std::min(end, help.find(stop));
  return help.substr(0, end);
}

}  // namespace mlf::program
