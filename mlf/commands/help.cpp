// mlf help: prints help, manual pages and completions.
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "archive/output_file.h"
#include "commands/command.h"
#include "manual/manual.h"
#include "support/error.h"

namespace mlf::program {
namespace {

struct HelpArguments {
  std::string command;
  std::string directory;
};

namespace fs = std::filesystem;

void write_text(const fs::path& path, const std::string& text) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  if (error) {
    throw support::Error(ErrorKind::io, "cannot be written: " + error.message(), {.file = path});
  }
  write_file(path, text);
}

/// Writes the manual pages and completions below `directory`, at their places below share/. Throws
/// `Error` of kind `io`.
void write_manual(const CLI::App& program, const std::string& directory) {
  // The directories in which each shell looks for completions of packages.
  const fs::path root = directory;
  std::vector<std::pair<fs::path, std::string>> files{
      {root / "man/man1/mlf.1", manual_page(program)},
      {root / "bash-completion/completions/mlf", bash_completion(program)},
      {root / "zsh/vendor-completions/_mlf", zsh_completion(program)},
      {root / "fish/vendor_completions.d/mlf.fish", fish_completion(program)},
  };
  for (const CLI::App* command : commands_of(program)) {
    files.emplace_back(root / "man/man1" / ("mlf-" + command->get_name() + ".1"),
                       manual_page(*command));
  }
  for (const auto& [path, content] : files) write_text(path, content);
}

int run_help(const CLI::App& program, const HelpArguments& options) {
  if (!options.directory.empty()) {
    write_manual(program, options.directory);
    return 0;
  }
  // CLI11 checks that the argument is the name of a command.
  const CLI::App& wanted =
      options.command.empty() ? program : *program.get_subcommand(options.command);
  // Not App::help, which prints the help of the chosen command.
  print(program.get_formatter()->make_help(&wanted, "", CLI::AppFormatMode::Normal));
  return 0;
}

void declare_help_options(CLI::App& app, const CLI::App& parent, HelpArguments& options) {
  std::vector<std::string> names;
  for (const CLI::App* command : commands_of(parent)) names.push_back(command->get_name());
  auto* command =
      app.add_option("COMMAND", options.command, "The command; without it, the help of mlf")
          ->check(one_of(names));
  add_option(app, "--write", options.directory, {"DIRECTORY", "Output"},
             "Write manual pages and completions for bash, zsh and fish into this directory "
             "instead, in the layout of a package's share/")
      ->excludes(command);
}

}  // namespace

Command help_command(CLI::App& parent) {
  CLI::App* app = parent.add_subcommand(
      "help", "Print the help of a command, or write manual pages and completions");
  const auto options = std::make_shared<HelpArguments>();
  return {app, [app, &parent, options] { declare_help_options(*app, parent, *options); },
          [&parent, options](const Context&) { return run_help(parent, *options); }};
}

}  // namespace mlf::program
