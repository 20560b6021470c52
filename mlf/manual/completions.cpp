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
std::string bash_values(const OptionText& option) {
  const std::string choices = joined(option.choices, " ");
  if (option.is_list && !choices.empty()) {
    return fmt::format("_mlf_list '{}' \"$current\"", choices);
  }
  const std::string words =
      option.rows.empty() ? fmt::format("'{}'", choices)
                          : fmt::format("\"$(_mlf_names {} {})\"", option.rows, option.column);
  if (choices.empty() && option.rows.empty()) return {};
  return fmt::format("COMPREPLY=($(compgen -W {} -- \"$current\"))", words);
}

/// `process:-o|process:--output) COMPREPLY=(…); return ;;` for values that have names.
void append_values(std::string& out, const std::string& command, const OptionText& option) {
  const std::string values = bash_values(option);
  if (!option.takes_value() || values.empty()) return;
  std::vector<std::string> patterns;
  for (const std::string& name : option.names) patterns.push_back(command + ':' + name);
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

std::string zsh_action(const OptionText& option) {
  if (!option.rows.empty()) return fmt::format("{{_mlf_names {} {}}}", option.rows, option.column);
  if (option.choices.empty()) return "_files";
  const std::string choices = joined(option.choices, " ");
  return option.is_list ? "_values -s , " + option.value + " " + choices : "(" + choices + ")";
}

/// One specification for each name; the star allows repetitions.
void append_zsh(std::string& out, const OptionText& option) {
  for (const std::string& name : option.names) {
    std::string spec = fmt::format("*{}[{}]", name, zsh_text(first_clause(option.help)));
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
  for (std::size_t i = 0; i < command.positionals.size(); ++i) {
    const OptionText& positional = command.positionals[i];
    const bool is_last = i + 1 == command.positionals.size();
    out += fmt::format(" \\\n        '{}:{}:{}'", is_last ? "*" : std::to_string(i + 1),
                       zsh_text(positional.names.front()), zsh_action(positional));
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

void append_fish(std::string& out, const std::string& condition, const OptionText& option) {
  out += fmt::format("complete -c mlf -n {}", quoted(condition, "\\'"));
  for (const std::string& name : option.names) {
    out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  if (!option.rows.empty()) {
    out += fmt::format(" -x -a '(__mlf_names {} {})'", option.rows, option.column);
  } else if (option.is_list && !option.choices.empty()) {
    out += fmt::format(" -x -a '(__fish_complete_list , \"printf %s\\\\n {}\")'",
                       joined(option.choices, " "));
  } else if (!option.choices.empty()) {
    out += fmt::format(" -x -a {}", quoted(joined(option.choices, " "), "\\'"));
  } else if (option.takes_value()) {
    out += " -r";
  }
  out += fmt::format(" -d {}\n", quoted(first_clause(option.help), "\\'"));
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

std::string bash_completion(const ProgramText& text) {
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
  out += fmt::format("      {}) command=${{COMP_WORDS[i]}}; break ;;\n", command_names(text, "|"));
  out += "    esac\n  done\n  case $command:$previous in\n";
  for (const CommandText& command : text.commands) {
    for (const OptionText& option : command.options) append_values(out, command.name, option);
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
  for (const CommandText& command : text.commands) {
    if (command.positionals.empty() || command.positionals.back().rows.empty()) continue;
    out += fmt::format(
        "  if [[ $command == {} && $current != -* ]]; then\n    {}\n"
        "    (( ${{#COMPREPLY[@]}} )) && return\n  fi\n",
        command.name, bash_values(command.positionals.back()));
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
  std::string out = fmt::format("#compdef mlf\n\n{}\n", kZshFunctions);
  out += "local curcontext=$curcontext state line\nlocal -a commands\n";
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
  std::string out = fmt::format("# fish completion for mlf\n{}", kFishFunctions);
  for (const OptionText& option : text.program.options) append_fish(out, "true", option);
  for (const CommandText& command : text.commands) {
    out += fmt::format("complete -c mlf -n __fish_use_subcommand -f -a {} -d {}\n", command.name,
                       quoted(first_clause(command.help), "\\'"));
    const std::string seen = "__fish_seen_subcommand_from " + command.name;
    for (const OptionText& option : command.options) append_fish(out, seen, option);
    for (const OptionText& positional : command.positionals) {
      if (!positional.rows.empty()) {
        out += fmt::format("complete -c mlf -n {} -a '(__mlf_names {} {})'\n", quoted(seen, "\\'"),
                           positional.rows, positional.column);
      }
      if (positional.choices.empty()) continue;
      out += fmt::format("complete -c mlf -n {} -f -a {}\n", quoted(seen, "\\'"),
                         quoted(joined(positional.choices, " "), "\\'"));
    }
  }
  return out;
}

}  // namespace mlf::program
