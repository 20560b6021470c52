// Completions: commands, the options of each, and the values of an option. Kernels and modules are
// those of the archive on the command line. Every other word is the name of a file.  Names come
// from untrusted archives, and shells evaluate words, so only names of safe characters are offered.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include "manual/manual.h"

namespace mlf::program {
namespace {

std::string joined(const std::vector<std::string>& words, std::string_view between) {
  return fmt::format("{}", fmt::join(words, between));
}

std::string command_names(const CLI::App& program, std::string_view between) {
  std::vector<std::string> names;
  for (const CLI::App* command : commands_of(program)) names.push_back(command->get_name());
  return joined(names, between);
}

std::string option_names(const CLI::App& command) {
  std::vector<std::string> all;
  for (const CLI::Option* option : options_of(command)) {
    const std::vector<std::string> names = names_of_option(*option);
    all.insert(all.end(), names.begin(), names.end());
  }
  return joined(all, " ");
}

/// The kind of row of `mlf table`, and its column, that have the values of an option which come
/// from an archive: "call kernel". Empty for other options.
std::string rows_of(const CLI::Option& option) {
  const std::string name = option.get_positional() ? option.get_name() : value_of(option);
  if (name == "KERNEL") return "call kernel";
  if (name == "CONSTANT") return "constant constant";
  return name == "MODULE" ? "archive module" : "";
}

/// Whether an option takes several of its choices, with commas between.
bool is_list(const CLI::Option& option) {
  return option.get_delimiter() != '\0' && !choices_of(option).empty();
}

std::string summary_of(const CLI::Option& option) {
  return first_clause(option.get_description());
}

// --- bash ---------------------------------------------------------------------------------------

constexpr const char* kBashFunctions =
    "# ROWS COLUMN: the names that the archive on the command line has\n"
    "_mlf_names() {\n"
    "  local word\n"
    "  for word in \"${COMP_WORDS[@]:2:COMP_CWORD-2}\"; do\n"
    "    [[ $word != -* && -e $word ]] || continue\n"
    "    \"${COMP_WORDS[0]}\" table --rows \"$1\" --format jsonl \"$word\" 2>/dev/null |\n"
    "      sed -n 's/.*\"'$2'\":\"\\([A-Za-z0-9_.-]*\\)\".*/\\1/p'\n"
    "    return\n"
    "  done\n"
    "}\n"
    "# WORDS CURRENT: the last of several words with commas between them\n"
    "_mlf_list() {\n"
    "  local before=\n"
    "  [[ $2 == *,* ]] && before=${2%,*},\n"
    "  COMPREPLY=($(compgen -P \"$before\" -W \"$1\" -- \"${2##*,}\"))\n"
    "}\n";

/// The assignment of COMPREPLY for an option; empty if its values are files.
std::string bash_values(const CLI::Option& option) {
  const std::string choices = joined(choices_of(option), " ");
  if (is_list(option)) return fmt::format("_mlf_list '{}' \"$current\"", choices);
  const std::string rows = rows_of(option);
  if (choices.empty() && rows.empty()) return {};
  const std::string words =
      rows.empty() ? fmt::format("'{}'", choices) : fmt::format("\"$(_mlf_names {})\"", rows);
  return fmt::format("COMPREPLY=($(compgen -W {} -- \"$current\"))", words);
}

/// `process:-o|process:--output) COMPREPLY=(…); return ;;` for values that have names.
void append_values(std::string& out, const std::string& command, const CLI::Option& option) {
  const std::string values = bash_values(option);
  if (values.empty()) return;
  std::vector<std::string> patterns;
  for (const std::string& name : names_of_option(option)) patterns.push_back(command + ':' + name);
  out += fmt::format("    {}) {}; return ;;\n", joined(patterns, "|"), values);
}

// --- zsh ----------------------------------------------------------------------------------------

constexpr const char* kZshFunctions =
    "# ROWS COLUMN: the names that the archive on the command line has\n"
    "_mlf_names() {\n"
    "  local word\n"
    "  for word in $words[2,-1]; do\n"
    "    [[ $word != -* && -e $word ]] || continue\n"
    "    compadd -- ${(f)\"$(mlf table --rows $1 --format jsonl $word 2>/dev/null |\n"
    "      sed -n 's/.*\"'$2'\":\"\\([A-Za-z0-9_.-]*\\)\".*/\\1/p')\"}\n"
    "    return\n"
    "  done\n"
    "}\n";

/// In a specification, brackets and colons have a meaning.
std::string zsh_text(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string zsh_action(const CLI::Option& option) {
  const std::string rows = rows_of(option);
  if (!rows.empty()) return fmt::format("{{_mlf_names {}}}", rows);
  const std::string choices = joined(choices_of(option), " ");
  if (choices.empty()) return "_files";
  return is_list(option) ? "_values -s , " + value_of(option) + " " + choices : "(" + choices + ")";
}

/// One specification for each name; the star allows repetitions.
void append_zsh(std::string& out, const Options& options) {
  for (const CLI::Option* option : options) {
    for (const std::string& name : names_of_option(*option)) {
      std::string spec = fmt::format("*{}[{}]", name, zsh_text(summary_of(*option)));
      const std::string value = value_of(*option);
      if (!value.empty()) spec += fmt::format(":{}:{}", zsh_text(value), zsh_action(*option));
      out += " \\\n        " + quoted(spec, "'\\''");
    }
  }
}

void append_zsh(std::string& out, const CLI::App& command) {
  out += fmt::format("    {})\n      _arguments", command.get_name());
  append_zsh(out, options_of(command));
  append_zsh(out, options_of(*command.get_parent()));
  const Options positionals = positionals_of(command);
  for (std::size_t i = 0; i < positionals.size(); ++i) {
    const bool is_last = i + 1 == positionals.size();
    out += fmt::format(" \\\n        '{}:{}:{}'", is_last ? "*" : std::to_string(i + 1),
                       zsh_text(positionals[i]->get_name()), zsh_action(*positionals[i]));
  }
  out += " ;;\n";
}

// --- fish ---------------------------------------------------------------------------------------

constexpr const char* kFishFunctions =
    "# ROWS COLUMN: the names that the archive on the command line has\n"
    "function __mlf_names\n"
    "    for word in (commandline -opc)[3..-1]\n"
    "        if test -e $word\n"
    "            mlf table --rows $argv[1] --format jsonl $word 2>/dev/null |\n"
    "                string replace -rf '.*\"'$argv[2]'\":\"([A-Za-z0-9_.-]*)\".*' '$1'\n"
    "            return\n"
    "        end\n"
    "    end\n"
    "end\n";

void append_fish(std::string& out, const std::string& condition, const Options& options) {
  for (const CLI::Option* option : options) {
    out += fmt::format("complete -c mlf -n {}", quoted(condition, "\\'"));
    for (const std::string& name : names_of_option(*option)) {
      out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    }
    const std::string rows = rows_of(*option);
    const std::string choices = joined(choices_of(*option), " ");
    if (!rows.empty()) {
      out += fmt::format(" -x -a '(__mlf_names {})'", rows);
    } else if (is_list(*option)) {
      out += fmt::format(" -x -a '(__fish_complete_list , \"printf %s\\\\n {}\")'", choices);
    } else if (!choices.empty()) {
      out += fmt::format(" -x -a {}", quoted(choices, "\\'"));
    } else if (!value_of(*option).empty()) {
      out += " -r";
    }
    out += fmt::format(" -d {}\n", quoted(summary_of(*option), "\\'"));
  }
}

}  // namespace

std::string quoted(const std::string& text, std::string_view quote) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += quote;
    } else {
      out += c;
    }
  }
  return out + "'";
}

std::string bash_completion(const CLI::App& program) {
  std::string out = fmt::format("# bash completion for mlf\n{}", kBashFunctions);
  out +=
      "_mlf() {\n"
      "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}\n"
      "  local command= words= i\n"
      "  # bash takes --option=value apart.\n"
      "  if [[ $current == = ]]; then\n"
      "    current=\n"
      "  elif [[ $previous == = ]]; then\n"
      "    previous=${COMP_WORDS[COMP_CWORD - 2]}\n"
      "  fi\n"
      "  COMPREPLY=()\n"
      "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
      "    case ${COMP_WORDS[i]} in\n";
  out +=
      fmt::format("      {}) command=${{COMP_WORDS[i]}}; break ;;\n", command_names(program, "|"));
  out += "    esac\n  done\n  case $command:$previous in\n";
  const std::vector<const CLI::App*> commands = commands_of(program);
  for (const CLI::App* command : commands) {
    for (const CLI::Option* option : options_of(*command)) {
      append_values(out, command->get_name(), *option);
    }
  }
  out += "  esac\n  case $command in\n";
  out +=
      fmt::format("    '') words='{} {}' ;;\n", command_names(program, " "), option_names(program));
  for (const CLI::App* command : commands) {
    out += fmt::format("    {}) words='{} {}' ;;\n", command->get_name(), option_names(*command),
                       option_names(program));
  }
  out += "  esac\n";
  for (const CLI::App* command : commands) {
    const Options positionals = positionals_of(*command);
    if (positionals.empty() || choices_of(*positionals.front()).empty()) continue;
    out += fmt::format(
        "  if [[ $command == {} && $current != -* ]]; then\n"
        "    COMPREPLY=($(compgen -W '{}' -- \"$current\"))\n    return\n  fi\n",
        command->get_name(), joined(choices_of(*positionals.front()), " "));
  }
  for (const CLI::App* command : commands) {
    const Options positionals = positionals_of(*command);
    if (positionals.empty() || rows_of(*positionals.back()).empty()) continue;
    out += fmt::format(
        "  if [[ $command == {} && $current != -* ]]; then\n    {}\n"
        "    (( ${{#COMPREPLY[@]}} )) && return\n  fi\n",
        command->get_name(), bash_values(*positionals.back()));
  }
  out +=
      "  if [[ -z $command || $current == -* ]]; then\n"
      "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
      "  else\n"
      "    compopt -o filenames 2>/dev/null\n"
      "    mapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n"
      "  fi\n"
      "}\n"
      "complete -F _mlf mlf\n";
  return out;
}

std::string zsh_completion(const CLI::App& program) {
  std::string out = fmt::format("#compdef mlf\n\n{}\n", kZshFunctions);
  out += "local curcontext=$curcontext state line\nlocal -a commands\n";
  out += "commands=(\n";
  for (const CLI::App* command : commands_of(program)) {
    const std::string summary = zsh_text(first_clause(command->get_description()));
    out += "  " + quoted(command->get_name() + ':' + summary, "'\\''") + '\n';
  }
  out += ")\n_arguments -C";
  append_zsh(out, options_of(program));
  out += " \\\n        '1:command:->command' '*::argument:->argument'\n";
  out +=
      "case $state in\n  command) _describe command commands ;;\n  argument)\n    case $words[1] "
      "in\n";
  for (const CLI::App* command : commands_of(program)) append_zsh(out, *command);
  return out + "    esac ;;\nesac\n";
}

std::string fish_completion(const CLI::App& program) {
  std::string out = fmt::format("# fish completion for mlf\n{}", kFishFunctions);
  append_fish(out, "true", options_of(program));
  for (const CLI::App* command : commands_of(program)) {
    out +=
        fmt::format("complete -c mlf -n __fish_use_subcommand -f -a {} -d {}\n",
                    command->get_name(), quoted(first_clause(command->get_description()), "\\'"));
    const std::string seen = "__fish_seen_subcommand_from " + command->get_name();
    append_fish(out, seen, options_of(*command));
    for (const CLI::Option* positional : positionals_of(*command)) {
      const std::string rows = rows_of(*positional);
      if (!rows.empty()) {
        out +=
            fmt::format("complete -c mlf -n {} -a '(__mlf_names {})'\n", quoted(seen, "\\'"), rows);
      }
      const std::string choices = joined(choices_of(*positional), " ");
      if (choices.empty()) continue;
      out += fmt::format("complete -c mlf -n {} -f -a {}\n", quoted(seen, "\\'"),
                         quoted(choices, "\\'"));
    }
  }
  return out;
}

}  // namespace mlf::program
