// The program `mlf`: its command line and its exit code.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <cctype>
#include <exception>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "commands/command.h"
#include "manual/manual.h"
#include "mlf/formats.h"
#include "mlf/tir/document.h"
#include "options.h"
#include "output.h"
#include "progress.h"
#include "signals.h"
#include "support/characters.h"
#include "support/error.h"
#include "support/nearest.h"

namespace mlf::program {
namespace {

struct GlobalOptions {
  bool quiet = false;
  bool verbose = false;
  std::vector<std::string> limits;
  std::vector<std::string> pool_sizes;
  tir::MacroValues macros;

  Verbosity verbosity() const {
    if (quiet) return Verbosity::quiet;
    return verbose ? Verbosity::verbose : Verbosity::normal;
  }
};

/// Formats have their own versions: readers need the version and the schema.
std::string version_text() {
  static constexpr std::pair<const char*, int> kWritten[] = {{"tir", kTirJsonVersion},
                                                             {"topology", kTopologyVersion},
                                                             {"manifest", kManifestVersion},
                                                             {"inspect", kInspectVersion},
                                                             {"integration", kIntegrationVersion},
                                                             {"report", kReportVersion},
                                                             {"diff", kDiffVersion},
                                                             {"check", kCheckVersion},
                                                             {"process", kProcessVersion},
                                                             {"plan", kPlanVersion},
                                                             {"optimize", kOptimizeVersion},
                                                             {"verify", kVerifyVersion},
                                                             {"build", kBuildVersion},
                                                             {"run", kRunVersion},
                                                             {"profile", kProfileVersion}};
  std::string text = fmt::format(
      "mlf {}\n"
      "reads: Model Library Format 1 to 7; TIR of TVM v0.{} to v0.{} as TVMScript, legacy text\n"
      "       (up to v0.11), save_json, generated C and mlf-tir {}\n"
      "writes: TVM's graph JSON 1, and (but for mlf-build, which the hook writes)",
      version(), tir::kOldestTvm, tir::kNewestTvm, kTirJsonVersion);
  for (const auto& [name, number] : kWritten) {
    text += fmt::format("\n  {:16} https://mlf.invalid/schemas/{}.schema.json",
                        fmt::format("mlf-{} {}", name, number), name);
  }
  return text;
}

void add_global_options(CLI::App& app, GlobalOptions& options) {
  constexpr const char* kGroup = "Options of every command";
  app.set_version_flag("--version", version_text,
                       "Print versions of the program and of its formats")
      ->group(kGroup);
  // Accepted before and after the command: see `fallthrough` below.
  auto* quiet = app.add_flag("-q,--quiet", options.quiet, "Print errors only")->group(kGroup);
  app.add_flag("-v,--verbose", options.verbose, "Print each step")->excludes(quiet)->group(kGroup);
  add_limit_option(app, options.limits);
  add_pool_size_option(app, options.pool_sizes);
  add_macro_options(app, options.macros);
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : commands_of(app)) names.push_back(command->get_name());
  return names;
}

void append_option_names(const CLI::App& app, std::vector<std::string>& names) {
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
}

/// The commands that have this option, as "mlf table".
std::vector<std::string> commands_with(const CLI::App& app, const std::string& option) {
  std::vector<std::string> found;
  for (const CLI::App* command : commands_of(app)) {
    std::vector<std::string> names;
    append_option_names(*command, names);
    if (std::ranges::count(names, option) > 0) found.push_back("mlf " + command->get_name());
  }
  return found;
}

/// -mcpu=cortex-m4, -O2, -specs=…
bool is_compiler_flag(const std::string& word) {
  return word.size() > 2 && word[0] == '-' && word[1] != '-';
}

/// The option that took the value of an argument which is missing: its value is a file.
std::string taker_of_argument(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& value : option->results()) {
      std::error_code ignored;
      if (option->get_lnames().empty() || !std::filesystem::is_regular_file(value, ignored))
        continue;
      return fmt::format(": '{}' is the value of {}", value, option->get_name());
    }
  }
  return "";
}

/// `word` is unknown to the program and to `command`, which may be null.
std::string unknown_word(const CLI::App& app, const CLI::App* command, const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  std::vector<std::string> known;
  if (command != nullptr) append_option_names(*command, known);
  append_option_names(app, known);
  const auto is_known = [&](const std::string& one) { return std::ranges::count(known, one) > 0; };
  if (word.starts_with('-') && word != "--" && !is_known(name)) {
    // Commands without a choice of formats have --json.
    const std::string meant = name == "--format" && is_known("--json") ? "--json" : name;
    // What other commands have.
    if (command != nullptr && (name == "-o" || name == "--output")) {
      return fmt::format("mlf {} has no option '{}': it prints its result; add > FILE",
                         command->get_name(), name);
    }
    if (command != nullptr && name == "--module" && command->get_name() != "tir") {
      return fmt::format("mlf {} has no option '--module': it is about all modules",
                         command->get_name());
    }
    if (is_compiler_flag(name) && is_known("--cflags")) {
      return fmt::format(
          "there is no option '{}'; flags of the compiler are one word: --cflags=\"-Os {}\"", name,
          word);
    }
    const std::vector<std::string> others = commands_with(app, name);
    if (command != nullptr && !others.empty() && meant == name) {
      return fmt::format("mlf {} has no option '{}'; these have: {}", command->get_name(), name,
                         some_of(others, 4));
    }
    // Any other letter is near a short option.
    const bool is_letter = name.size() <= 2;
    return fmt::format("there is no option '{}'{}", name,
                       is_letter ? "" : did_you_mean(meant, known));
  }
  if (command == nullptr) {
    std::error_code ignored;
    if (word.find(".tar") != word.npos || std::filesystem::exists(word, ignored)) {
      return fmt::format("there is no command before '{0}'; did you mean 'mlf report {0}'?", word);
    }
    return fmt::format("there is no command '{}'{}", word, did_you_mean(word, command_names(app)));
  }
  // Behind "--", the name of an option is an argument.
  if (word.starts_with("--") && word != "--") {
    return fmt::format("options of a command are behind it and before --, as in mlf {} {}",
                       command->get_name(), name);
  }
  return fmt::format("there is one argument too many: '{}'{}", word,
                     command->get_name() == "report" ? "; mlf table shows several archives" : "");
}

/// The value of an unknown option is an unknown word too. Without a command, the first word is in
/// its place.
const std::string& unknown_of(const std::vector<std::string>& extras, const CLI::App* command) {
  if (command == nullptr && !extras.front().starts_with('-')) return extras.front();
  const auto option = std::ranges::find_if(
      extras, [](const std::string& word) { return word.starts_with('-') && word != "--"; });
  return option == extras.end() ? extras.front() : *option;
}

/// The error of the command line, in the style of the other errors.
std::string message_of(const CLI::App& app, const CLI::ParseError& stop) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  const CLI::App* command = chosen.empty() ? nullptr : chosen.front();
  // For CLI11, an unknown word in the place of a command is an "extra", and it would report that a
  // command is missing.
  const bool is_unknown_word =
      command == nullptr || dynamic_cast<const CLI::ExtrasError*>(&stop) != nullptr;
  const std::vector<std::string> extras = app.remaining(true);
  std::string text = is_unknown_word && !extras.empty()
                         ? unknown_word(app, command, unknown_of(extras, command))
                         : std::string(stop.what());
  // "--columns: 1 required NAMES:{call,kernel} missing", "--ram: At Most 1 required but received 2"
  for (const auto& [theirs, ours] :
       {std::pair(": 1 required ", "needs a value"),
        std::pair(": At Most 1 required ", "is given more than once")}) {
    const std::size_t end = text.find(theirs);
    if (end != text.npos) text = fmt::format("{} {}", text.substr(0, end), ours);
  }
  if (command != nullptr && text.starts_with("ARCHIVE is required")) {
    text += taker_of_argument(*command);
  }
  if (command == nullptr && extras.empty()) {
    text = fmt::format("a command is required: {}", fmt::join(command_names(app), ", "));
  }
  // CLI11's sentences begin with a capital letter. Names of arguments are in capitals and stay
  // unchanged.
  const bool capital = text.size() > 1 && std::isupper(static_cast<unsigned char>(text[0])) != 0 &&
                       std::isupper(static_cast<unsigned char>(text[1])) == 0;
  if (capital) text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  const std::string name = command == nullptr ? "" : command->get_name() + " ";
  return fmt::format("{} (see mlf {}--help)", text, name);
}

/// Prints help and versions; for any other exception of CLI11, the error of the command line.
int stop_parsing(const CLI::App& app, const CLI::ParseError& stop, const Console& console) {
  // CLI11 also throws for --help and --version, with exit code 0.
  if (stop.get_exit_code() != 0) {
    return console.fail(ErrorKind::usage, message_of(app, stop));
  }
  const bool is_version = dynamic_cast<const CLI::CallForVersion*>(&stop) != nullptr;
  // Help that cannot be printed is an error too: `mlf --help > /dev/full`.
  print(is_version ? fmt::format("{}\n", stop.what()) : app.help());
  return 0;
}

/// Runs after parsing, so global options count at any position.
int run_chosen(const std::vector<Command>& commands, const GlobalOptions& options,
               const std::string& words) {
  const Console console(options.verbosity());
  const DeploymentOptions limits = limits_from(options.limits, options.pool_sizes, options.macros);
  for (const Command& command : commands) {
    if (!command.app->parsed()) continue;
    std::optional<Progress> progress;
    if (!options.quiet) progress.emplace(command.app->get_name());
    return command.run({console, limits, words});
  }
  return console.fail(ErrorKind::internal, "no command was chosen");
}

/// An option that may be repeated takes one value each time; later words are arguments.
void take_one_value_each(CLI::App& app) {
  for (CLI::Option* option : app.get_options([](const CLI::Option* one) {
         return one->nonpositional() && one->get_items_expected_max() > 1;
       })) {
    option->allow_extra_args(false);
  }
}

/// An empty word is neither a file nor a name: a script has a variable that is not set. Only the
/// compiler may get no flags.
void refuse_empty_values(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options()) {
    if (option->check_lname("cflags") || !std::ranges::count(option->results(), "")) continue;
    throw CLI::ValidationError(option->get_name(), "the value is empty");
  }
}

/// The words in the order of CLI11, last first. For the value in `--html=`, which is empty, CLI11
/// would take the next word.
std::vector<std::string> words_of(std::span<const char* const> argv) {
  std::vector<std::string> words;
  for (const std::string_view word : argv.subspan(std::min<std::size_t>(1, argv.size()))) {
    const bool is_empty = word.starts_with("--") && word.find('=') == word.size() - 1;
    words.emplace_back(word.substr(0, word.size() - (is_empty ? 1 : 0)));
    if (is_empty) words.emplace_back();
  }
  std::ranges::reverse(words);
  return words;
}

/// As a shell reads it. The program is "mlf", wherever it is, and a page is the same under any
/// name.
std::string command_line(std::span<const char* const> argv) {
  constexpr std::string_view kPage = "--html";
  std::string line = "mlf";
  bool is_page = false;
  for (std::string_view word : argv.subspan(std::min<std::size_t>(1, argv.size()))) {
    if (is_page) word = "page.html";
    is_page = word == kPage;
    if (word.starts_with(kPage) && word.size() > kPage.size()) word = "--html=page.html";
    const bool is_plain = !word.empty() && std::ranges::all_of(word, [](char c) {
      return support::is_letter(c) || support::is_digit(c) ||
             std::string_view("-_./=:,+@%").find(c) != std::string_view::npos;
    });
    line += " " + (is_plain ? std::string(word) : quoted(std::string(word), "'\\''"));
  }
  return line;
}

/// Whether the options of a command may be needed: it can only be chosen by a word that is its
/// name, and `help` describes every command. Declaring the options of all commands takes 40 % of
/// the instructions of a start.
bool may_need(const CLI::App& command, std::span<const char* const> words) {
  return std::ranges::any_of(
      words, [&](std::string_view word) { return word == command.get_name() || word == "help"; });
}

constexpr const char* kHelpOfCommand = "Print this help; options of every command: mlf --help";

int parse_and_run(int argc, const char* const* argv) {
  CLI::App app(
      "Analyse Apache TVM Model Library Format archives: what a network needs in RAM and flash, "
      "which calls cost most, what changed between builds; write TIR and network as JSON",
      "mlf");
  app.formatter(std::make_shared<HelpFormatter>());
  app.set_help_flag("-h,--help", "Print this help")->group("Options of every command");
  // `mlf` without a command is an error, so scripts notice it.
  app.require_subcommand(1);
  GlobalOptions options;
  add_global_options(app, options);
  std::vector<Command> commands;
  for (const auto declare :
       {process_command, inspect_command, report_command, show_command, diff_command, check_command,
        table_command, graph_command, tir_command, plan_command, optimize_command, run_command,
        profile_command, verify_command, help_command}) {
    commands.push_back(declare(app));
  }
  // After the commands were declared; otherwise each would inherit this footer.
  app.footer(limits_help());
  take_one_value_each(app);
  for (const Command& command : commands) {
    if (!may_need(*command.app, {argv, static_cast<std::size_t>(argc)})) continue;
    command.declare();
    take_one_value_each(*command.app);
    command.app->fallthrough();
    command.app->set_help_flag("-h,--help", kHelpOfCommand)->group("Other");
  }
  try {
    app.parse(words_of({argv, static_cast<std::size_t>(argc)}));
    refuse_empty_values(app);
    for (const CLI::App* command : app.get_subcommands()) refuse_empty_values(*command);
  } catch (const CLI::ParseError& stop) {
    // An option may be that of another command.
    for (const Command& command : commands) {
      if (!may_need(*command.app, {argv, static_cast<std::size_t>(argc)})) command.declare();
    }
    return stop_parsing(app, stop, Console(Verbosity::normal));
  }
  return run_chosen(commands, options, command_line({argv, static_cast<std::size_t>(argc)}));
}

/// Parses the command line, runs the command it names and returns the exit code: 0, 1, 64, 65, 70
/// or 74.
int run(int argc, const char* const* argv) {
  try {
    const int code = parse_and_run(argc, argv);
    close_standard_output();
    return code;
  } catch (const support::Error& error) {
    return Console(Verbosity::normal).fail(error.diagnostic());
  } catch (const std::bad_alloc&) {
    // Limits prevent inputs from requesting that much, unless the user raised them.
    return Console(Verbosity::normal)
        .fail(ErrorKind::out_of_memory, "the input needs more memory than there is");
  } catch (const std::exception& error) {
    // Any other exception here is a defect of mlf.
    return Console(Verbosity::normal).fail(ErrorKind::internal, error.what());
  }
}

}  // namespace
}  // namespace mlf::program

int main(int argc, char** argv) {
  mlf::program::occupy_standard_streams();
  mlf::program::handle_signals();
  return mlf::program::run(argc, argv);
}
