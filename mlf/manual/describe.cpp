#include <algorithm>

#include "manual/manual.h"

namespace mlf::program {
namespace {

Options shown_options(const CLI::App& command, bool positional) {
  return command.get_options([positional](const CLI::Option* one) {
    // Without a group: a former name, which no text shows.
    return one->get_positional() == positional && !one->get_group().empty();
  });
}

}  // namespace

std::vector<const CLI::App*> commands_of(const CLI::App& program) {
  return program.get_subcommands([](const CLI::App*) { return true; });
}

Options options_of(const CLI::App& command) {
  return shown_options(command, false);
}

Options positionals_of(const CLI::App& command) {
  return shown_options(command, true);
}

std::vector<std::string> names_of_option(const CLI::Option& option) {
  if (option.get_positional()) return {option.get_name()};
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back('-' + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

std::string value_of(const CLI::Option& option) {
  const bool is_flag = option.get_type_size_max() == 0;
  if (is_flag || option.get_positional()) return {};
  // The text after the colon is the check's own description.
  const std::string type = option.get_type_name();
  return type.substr(0, type.find(':'));
}

/// CLI11 stores the values that a check allows only as text: "TEXT:{inline,npy,none}".
std::vector<std::string> choices_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t begin = type.find(":{");
  if (begin == std::string::npos || !type.ends_with('}')) return {};
  return CLI::detail::split(type.substr(begin + 2, type.size() - begin - 3), ',');
}

std::string usage_of(const CLI::Option& option) {
  const std::string usage = option.get_name() + (option.get_items_expected_max() > 1 ? "..." : "");
  return option.get_required() ? usage : '[' + usage + ']';
}

std::string first_clause(const std::string& help) {
  std::size_t end = help.size();
  for (const std::string_view stop : {"; ", ". ", ": ", " (", ":\n"})
    end = std::min(end, help.find(stop));
  return help.substr(0, end);
}

}  // namespace mlf::program
