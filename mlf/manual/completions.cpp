// Completions: commands, the options of each, and what may be put into an option. Everything else
// is the name of a file.
#include <fmt/core.h>

#include "manual/manual.h"

namespace mlf::program {
namespace {

std::string joined(const std::vector<std::string>& words, std::string_view between) {
  std::string out;
  for (const std::string& word : words) {
    if (!out.empty()) out += between;
    out += word;
  }
  return out;
}

std::string command_names(const ProgramText& text, std::string_view between) {
  std::vector<std::string> names;
  for (const CommandText& command : text.commands) names.push_back(command.name);
  return joined(names, between);
}

std::string option_names(const std::vector<OptionText>& options) {
  std::vector<std::string> names;
  for (const OptionText& option : options) {
    names.insert(names.end(), option.names.begin(), option.names.end());
  }
  return joined(names, " ");
}

/// In single quotes of a shell; `quote` is how the shell has one inside them.
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

// --- bash ---------------------------------------------------------------------------------------

/// `process:-o|process:--output) COMPREPLY=(…) ;;` for values that are one of a few.
void append_choices(std::string& out, const std::string& command, const OptionText& option) {
  if (!option.takes_value() || option.choices.empty()) return;
  std::vector<std::string> patterns;
  for (const std::string& name : option.names) patterns.push_back(command + ':' + name);
  out += fmt::format("    {}) COMPREPLY=($(compgen -W '{}' -- \"$current\")); return ;;\n",
                     joined(patterns, "|"), joined(option.choices, " "));
}

// --- zsh ----------------------------------------------------------------------------------------

/// Inside of a specification, brackets and colons have a meaning.
std::string zsh_text(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string zsh_action(const OptionText& option) {
  return option.choices.empty() ? "_files" : "(" + joined(option.choices, " ") + ")";
}

/// One specification a name; the star allows it to be repeated.
void append_zsh(std::string& out, const OptionText& option) {
  for (const std::string& name : option.names) {
    std::string spec = fmt::format("*{}[{}]", name, zsh_text(summary(option)));
    if (option.takes_value()) {
      spec += fmt::format(":{}:{}", zsh_text(option.value), zsh_action(option));
    }
    out += " \\\n        " + quoted(spec, "'\\''");
  }
}

void append_zsh(std::string& out, const CommandText& command,
                const std::vector<OptionText>& everywhere) {
  out += fmt::format("    {})\n      _arguments", command.name);
  for (const OptionText& option : command.options) append_zsh(out, option);
  for (const OptionText& option : everywhere) append_zsh(out, option);
  for (const OptionText& positional : command.positionals) {
    out += fmt::format(" \\\n        '*:{}:{}'", zsh_text(positional.names.front()),
                       zsh_action(positional));
  }
  out += " ;;\n";
}

// --- fish ---------------------------------------------------------------------------------------

void append_fish(std::string& out, const std::string& condition, const OptionText& option) {
  out += fmt::format("complete -c mlf -n {}", quoted(condition, "\\'"));
  for (const std::string& name : option.names) {
    out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  if (!option.choices.empty()) {
    out += fmt::format(" -x -a {}", quoted(joined(option.choices, " "), "\\'"));
  } else if (option.takes_value()) {
    out += " -r";
  }
  out += fmt::format(" -d {}\n", quoted(summary(option), "\\'"));
}

}  // namespace

std::string bash_completion(const ProgramText& text) {
  std::string out =
      "# bash completion for mlf\n"
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
  out += fmt::format("      {}) command=${{COMP_WORDS[i]}}; break ;;\n", command_names(text, "|"));
  out += "    esac\n  done\n  case $command:$previous in\n";
  for (const CommandText& command : text.commands) {
    for (const OptionText& option : command.options) append_choices(out, command.name, option);
  }
  out += "  esac\n  case $command in\n";
  out += fmt::format("    '') words='{} {}' ;;\n", command_names(text, " "),
                     option_names(text.program.options));
  for (const CommandText& command : text.commands) {
    out += fmt::format("    {}) words='{} {}' ;;\n", command.name, option_names(command.options),
                       option_names(text.program.options));
  }
  out += "  esac\n";
  for (const CommandText& command : text.commands) {
    if (command.positionals.empty() || command.positionals.front().choices.empty()) continue;
    out += fmt::format(
        "  if [[ $command == {} && $current != -* ]]; then\n"
        "    COMPREPLY=($(compgen -W '{}' -- \"$current\"))\n    return\n  fi\n",
        command.name, joined(command.positionals.front().choices, " "));
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

std::string zsh_completion(const ProgramText& text) {
  std::string out = "#compdef mlf\n\nlocal curcontext=$curcontext state line\nlocal -a commands\n";
  out += "commands=(\n";
  for (const CommandText& command : text.commands) {
    out += "  " + quoted(command.name + ':' + zsh_text(first_clause(command.help)), "'\\''") + '\n';
  }
  out += ")\n_arguments -C";
  for (const OptionText& option : text.program.options) append_zsh(out, option);
  out += " \\\n        '1:command:->command' '*::argument:->argument'\n";
  out +=
      "case $state in\n  command) _describe command commands ;;\n  argument)\n    case $words[1] "
      "in\n";
  for (const CommandText& command : text.commands) {
    append_zsh(out, command, text.program.options);
  }
  return out + "    esac ;;\nesac\n";
}

std::string fish_completion(const ProgramText& text) {
  std::string out = "# fish completion for mlf\n";
  for (const OptionText& option : text.program.options) append_fish(out, "true", option);
  for (const CommandText& command : text.commands) {
    out += fmt::format("complete -c mlf -n __fish_use_subcommand -f -a {} -d {}\n", command.name,
                       quoted(first_clause(command.help), "\\'"));
    const std::string seen = "__fish_seen_subcommand_from " + command.name;
    for (const OptionText& option : command.options) append_fish(out, seen, option);
    for (const OptionText& positional : command.positionals) {
      if (positional.choices.empty()) continue;
      out += fmt::format("complete -c mlf -n {} -f -a {}\n", quoted(seen, "\\'"),
                         quoted(joined(positional.choices, " "), "\\'"));
    }
  }
  return out;
}

}  // namespace mlf::program
