// mlf profile: instructions or time of each call of main.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "archive/output_file.h"
#include "arguments.h"
#include "commands/command.h"
#include "commands/network_run.h"
#include "graph/formats/dot_text.h"
#include "mlf/profile.h"
#include "output.h"
#include "result_file.h"
#include "support/characters.h"
#include "support/digits.h"
#include "support/error.h"
#include "support/numbers.h"
#include "table.h"

namespace mlf::program {
namespace {

using support::get_or_throw;

struct ProfileArguments {
  NetworkRunArguments network{.seconds = 120};
  std::uint64_t seed = 1;
  std::string clock;
  std::string cycles;
  std::uint64_t runs = 10;
  std::string other;
  bool json = false;
  std::string measured;
  bool instrument = false;
  bool remove = false;
  std::string output;
};

void declare_processor_options(CLI::App& app, ProfileArguments& options) {
  add_enum_option(app, "--cpu", options.network.cpu, processor_names(), {"CPU", "Processor"},
                  fmt::format("The processor: {}. QEMU emulates all but host, and counts "
                              "instructions; with host, time is measured",
                              fmt::join(processors(), ", ")));
  auto* clock = add_option(app, "--clock", options.clock, {"HERTZ", "Processor"},
                           "Show times as well, for a clock of 80M or 16000000");
  add_option(app, "--cpi", options.cycles, {"MIN..MAX", "Processor"},
             "The cycles that an instruction takes on average, as 1.2..1.8, in place of those of "
             "the processor's manual")
      ->needs(clock);
  add_option(app, "--cc", options.network.compiler.command, {"COMMAND", "Compiler"},
             "Compile with this command in place of Debian's compiler")
      ->check(not_empty());
  add_option(app, "--cflags", options.network.compiler.flags, {"FLAGS", "Compiler"},
             "Options in one word, after -O2: --cflags=\"-Os -mfloat-abi=hard\"");
}

void declare_board_options(CLI::App& app, ProfileArguments& options) {
  auto* instrument = add_flag(app, "--instrument", options.instrument, "Board",
                              "Write an archive whose main calls functions around each call, "
                              "to measure it on a board");
  add_flag(app, "--remove", options.remove, "Board",
           "Write the archive as it was without these functions")
      ->excludes(instrument);
  add_result_option(app, "-o,--output", options.output, {"OUT", "Board"},
                    "The archive that these two write; - is standard output");
  add_option(app, "--measured", options.measured, {"FILE", "Board"},
             "Show what a board measured: CSV with the head call,cycles")
      ->excludes(app.get_option("--cpu"));
}

void declare_profile_options(CLI::App& app, ProfileArguments& options) {
  app.add_option("ARCHIVE", options.network.archive, kArchiveHelp)->required();
  declare_processor_options(app, options);
  add_network_options(app, options.network);
  add_option(app, "--random", options.seed, {"SEED", "Inputs"},
             "Other random values for all other inputs")
      ->capture_default_str();
  auto* other = add_option(app, "--against", options.other, {"OTHER", "Output"},
                           "Compare with another archive, or with a file of --json");
  add_flag(app, "--json", options.json, "Output", "Print JSON (schemas/profile.md)")
      ->excludes(other);
  declare_board_options(app, options);
  add_option(app, "--runs", options.runs, {"N", "Limits"},
             "The number of runs on this computer (--cpu host)")
      ->capture_default_str()
      ->check(whole_number(1, 100000));
  add_run_limits(app, options.network);
  for (const char* const written : {"--instrument", "--remove"}) {
    for (const char* const one : {"--cpu", "--clock", "--cpi", "--cc", "--cflags", "--input",
                                  "--random", "--against", "--json", "--measured", "--runs"}) {
      app.get_option(written)->excludes(app.get_option(one));
    }
  }
}

// --- Numbers of the command line ----------------------------------------------------------------

/// A positive number and what is behind it.
std::pair<double, std::string_view> number_in(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || !std::isfinite(value)) return {0, text};
  return {value, text.substr(static_cast<std::size_t>(end - text.data()))};
}

/// "80M": k, M and G are powers of 1000.
std::uint64_t hertz_of(const std::string& text) {
  constexpr std::array<std::pair<std::string_view, double>, 5> kUnits{
      {{"", 1}, {"k", 1e3}, {"K", 1e3}, {"M", 1e6}, {"G", 1e9}}};
  const auto [number, suffix] = number_in(text);
  double hertz = 0;
  for (const auto& [name, factor] : kUnits) {
    if (name == suffix) hertz = number * factor;
  }
  if (!(hertz >= 1 && hertz <= 1e12)) {
    throw support::Error(ErrorKind::usage,
                         fmt::format("--clock: '{}' is no frequency, as 80M or 16000000", text));
  }
  return static_cast<std::uint64_t>(std::llround(hertz));
}

/// "1.2..1.8", or "1.5" for both.
CyclesPerInstruction cycles_of(const std::string& text) {
  constexpr std::string_view kTo = "..";
  const std::size_t to = text.find(kTo);
  const auto [min, after_min] = number_in(std::string_view(text).substr(0, to));
  const auto [max, after_max] = to == text.npos
                                    ? std::pair(min, after_min)
                                    : number_in(std::string_view(text).substr(to + kTo.size()));
  if (!after_min.empty() || !after_max.empty() || min <= 0 || max < min) {
    throw support::Error(ErrorKind::usage,
                         fmt::format("--cpi: '{}' are no numbers of cycles, as 1.2..1.8", text));
  }
  return {.min = min, .max = max, .source = std::string(kStatedByUser)};
}

// --- Tables -------------------------------------------------------------------------------------

/// The short names of kernels, by their symbols.
std::map<std::string, std::string> names_of(const Profile& profile) {
  std::vector<std::string> symbols;
  for (const ProfiledKernel& one : kernels_of(profile)) symbols.push_back(one.sum.kernel);
  const std::vector<std::string> names = graph::short_names(profile.module, symbols);
  std::map<std::string, std::string> by_symbol;
  for (const std::size_t i : support::positions(symbols.size())) {
    by_symbol.emplace(symbols[i], printable(names[i]));
  }
  return by_symbol;
}

/// "6.7", where the divisor is exact.
std::string ratio(std::uint64_t amount, const analysis::Count& divisor) {
  if (!divisor.is_exact() || divisor.min == 0) return "";
  return fmt::format("{:.1f}", static_cast<double>(amount) / static_cast<double>(divisor.min));
}

/// "1.25..5 ms" or the median, in the unit of the longest time.
std::string time_cell(const std::optional<ProfileSpread>& time, const Profile& profile) {
  if (!time) return "";
  const auto& all = profile.network.value_or(profile.total).nanoseconds;
  const std::uint64_t largest = all ? all->max.value_or(all->min) : 0;
  return time_text(time->median.value_or(time->min), time->median ? time->median : time->max,
                   largest);
}

std::vector<std::string> spread_cells(const ProfileNumbers& numbers) {
  const std::optional<ProfileSpread>& spread =
      numbers.cycles ? numbers.cycles : numbers.nanoseconds;
  if (numbers.instructions || !spread || !spread->median) return {"", ""};
  return {std::to_string(spread->min), std::to_string(spread->max.value_or(0))};
}

std::string text_of_layer(const std::string& layer) {
  return printable(first_layer(layer));
}

/// `row` is a call or a sum of calls; `number` and `name` are its first cells.
std::vector<std::string> cells_of(const std::string& number, const std::string& name,
                                  const ProfiledCall& row, const Profile& profile) {
  const std::uint64_t amount = row.numbers.amount();
  std::vector<std::string> cells{number, name, text_of_layer(row.layer), std::to_string(amount)};
  for (std::string& cell : spread_cells(row.numbers)) cells.push_back(std::move(cell));
  cells.push_back(percent(amount, profile.network.value_or(profile.total).amount()));
  const bool has_time = profile.clock.has_value();
  cells.push_back(has_time ? time_cell(row.numbers.nanoseconds, profile) : "");
  cells.push_back(to_string(row.mac));
  cells.push_back(ratio(amount, row.mac));
  cells.push_back(to_string(row.loaded));
  cells.push_back(to_string(row.divisions));
  return cells;
}

/// `number` is the head of the first column.
Table table_of(const Profile& profile, const std::string& number) {
  return Table({number, "KERNEL", "?LAYER", "#" + support::in_capitals(profile.unit()), "?#MIN",
                "?#MAX", "#%", "?#TIME", "#MAC", "#/MAC", "#LOADED", "#DIVISIONS"});
}

/// Empty where no kernel is called twice.
Table kernels_table(const Profile& profile) {
  Table table = table_of(profile, "#CALLS");
  std::vector<ProfiledKernel> kernels = kernels_of(profile);
  if (kernels.size() == profile.calls.size()) return table;
  const auto names = names_of(profile);
  std::ranges::stable_sort(kernels, std::greater(),
                           [](const ProfiledKernel& one) { return one.sum.numbers.amount(); });
  for (ProfiledKernel& kernel : kernels) {
    kernel.sum.layer.clear();  // it may have several
    table.add(
        cells_of(std::to_string(kernel.calls), names.at(kernel.sum.kernel), kernel.sum, profile));
  }
  return table;
}

Table calls_table(const Profile& profile) {
  Table table = table_of(profile, "CALL");
  ProfiledCall all;
  const auto names = names_of(profile);
  std::uint64_t most = 0;
  for (const ProfiledCall& call : profile.calls) most = std::max(most, call.numbers.amount());
  for (const ProfiledCall& call : profile.calls) {
    table.add(cells_of(std::to_string(call.call), names.at(call.kernel), call, profile),
              call.numbers.amount() == most ? Emphasis::bold : Emphasis::none);
    all += call;
  }
  // Spreads of a sum are not sums of spreads.
  all.numbers = profile.total;
  table.add(cells_of("", "all calls", all, profile));
  if (profile.network) {
    all.numbers = *profile.network;
    table.add(cells_of("", "the network", all, profile));
  }
  return table;
}

/// Without an effect on what is counted.
bool is_of_language(std::string_view flag) {
  return flag == "-w" || flag.starts_with("-std=") || flag.starts_with("-D");
}

/// Where the numbers come from.
std::string source_text(const Profile& profile) {
  std::string text;
  if (profile.source == ProfileSource::emulated) {
    text = fmt::format("{} on the board {} of {}", profile.cpu, profile.machine, profile.emulator);
  } else {
    text = profile.runs == 1 ? "one run" : fmt::format("median of {} runs", profile.runs);
    if (!profile.cpu.empty()) text += " on this computer";
  }
  if (!profile.compiler.empty()) text += "; " + profile.compiler;
  for (const std::string& flag : profile.flags) {
    if (!is_of_language(flag)) text += " " + flag;
  }
  text += '\n';
  if (profile.clock) {
    text += fmt::format("time at {} MHz", static_cast<double>(profile.clock->hertz) / 1e6);
    if (const auto& cycles = profile.clock->cycles_per_instruction) {
      const std::string max = cycles->max ? fmt::format("{}", *cycles->max) : "?";
      text += fmt::format(" if an instruction takes {}..{} cycles on average ({})", cycles->min,
                          max, cycles->source);
    }
    text += '\n';
  }
  return printable(text.substr(0, text.find('\n'))) + text.substr(text.find('\n'));
}

std::vector<std::string> change_cells(std::optional<std::uint64_t> before,
                                      std::optional<std::uint64_t> after) {
  const auto text = [](std::optional<std::uint64_t> one) {
    return one ? std::to_string(*one) : std::string();
  };
  std::vector<std::string> cells{text(before), text(after), "", ""};
  if (!before || !after) return cells;
  const bool is_more = *after >= *before;
  const std::uint64_t change = is_more ? *after - *before : *before - *after;
  cells[2] = fmt::format("{}{}", is_more ? "+" : "-", change);
  const std::string part = percent(change, *before);
  if (*before > 0) cells[3] = (part == "0.0" ? "" : is_more ? "+" : "-") + part;
  return cells;
}

Table changes_table(const Profile& before, const Profile& after) {
  Table table({"CALL", "KERNEL", "?LAYER", "#BEFORE", "#AFTER", "#CHANGE", "#%"});
  const auto add = [&](std::string call, std::string kernel, std::string layer,
                       std::vector<std::string> cells) {
    cells.insert(cells.begin(), {std::move(call), std::move(kernel), std::move(layer)});
    table.add(std::move(cells));
  };
  const auto names_before = names_of(before);
  const auto names_after = names_of(after);
  for (const ProfileDifference& pair : get_or_throw(compare_profiles(before, after))) {
    const Profile& side = pair.after ? after : before;
    const ProfiledCall& call = side.calls[pair.after ? *pair.after : *pair.before];
    const auto amount = [](const Profile& profile, std::optional<std::size_t> index) {
      return index ? std::optional(profile.calls[*index].numbers.amount()) : std::nullopt;
    };
    add(pair.after ? std::to_string(call.call) : "",
        (pair.after ? names_after : names_before).at(call.kernel), text_of_layer(call.layer),
        change_cells(amount(before, pair.before), amount(after, pair.after)));
  }
  add("", "all calls", "", change_cells(before.total.amount(), after.total.amount()));
  if (before.network && after.network) {
    add("", "the network", "", change_cells(before.network->amount(), after.network->amount()));
  }
  return table;
}

// --- The command --------------------------------------------------------------------------------

Profile profile_of_file(const Deployment& deployment, const Network& network,
                        const std::string& path) {
  const TirFile file = get_or_throw(load_tir_file(path));
  return get_or_throw(measured_profile(deployment, network, file.text).map_error([&](auto error) {
    return in_file(std::move(error), path);
  }));
}

/// Warns if the code computes floats in software on a core that may have a floating-point unit.
void warn_of_software_floats(const Profile& profile, const Context& context) {
  constexpr std::array<std::string_view, 4> kMayHaveUnit{"cortex-m4", "cortex-m7", "cortex-m33",
                                                         "cortex-m55"};
  const auto is_choice = [](std::string_view flag) { return flag.starts_with("-mfloat-abi"); };
  if (std::ranges::find(kMayHaveUnit, profile.cpu) == kMayHaveUnit.end() ||
      std::ranges::any_of(profile.flags, is_choice) ||
      std::ranges::none_of(profile.calls, &ProfiledCall::computes_floats)) {
    return;
  }
  context.console.warn("floats are computed in software: for the floating-point unit of a " +
                       profile.cpu + ", --cflags=\"-O2 -mfloat-abi=hard\"");
}

Profile profile_of_archive(const std::string& archive, const ProfileArguments& arguments,
                           const RunOptions& options, const Context& context, DocumentForm& form) {
  const NetworkArgument argument =
      read_network_argument(archive, arguments.network.module, {}, context);
  warn_if_invalid(argument.topology, context.console);
  Profile profile =
      arguments.measured.empty()
          ? get_or_throw(profile_network(argument.deployment, argument, options, arguments.runs))
          : profile_of_file(argument.deployment, argument, arguments.measured);
  warn_of_software_floats(profile, context);
  if (!arguments.clock.empty()) {
    std::optional<CyclesPerInstruction> cycles;
    if (!arguments.cycles.empty()) cycles = cycles_of(arguments.cycles);
    get_or_throw(set_clock(profile, hertz_of(arguments.clock), cycles));
  }
  if (arguments.json) form = form_of(context, {&argument.deployment});
  return profile;
}

/// By its first byte: JSON, not an archive.
bool is_json(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  return std::ifstream(path, std::ios::binary).get() == '{';
}

int write_archive(const ProfileArguments& arguments, const Context& context) {
  if (arguments.output.empty()) {
    throw support::Error(ErrorKind::usage, "nowhere to write: give -o OUT");
  }
  check_terminal(arguments.output);
  check_output(arguments.output, std::vector{arguments.network.archive});
  const auto write = [&] {
    if (arguments.remove) {
      return write_without_instruments(open_archive(arguments.network.archive, context),
                                       arguments.output);
    }
    const NetworkArgument argument =
        read_network_argument(arguments.network.archive, arguments.network.module, {}, context);
    return write_instrumented(argument.deployment, argument, arguments.output);
  };
  for (const std::string& lost : get_or_throw(write())) context.console.warn(lost);
  return 0;
}

std::string build_text(const Profile& profile) {
  return fmt::format("{}, {} {}", profile.cpu, profile.compiler_version,
                     fmt::join(profile.flags, " "));
}

int run_profile(const ProfileArguments& arguments, const Context& context) {
  if (arguments.instrument || arguments.remove) return write_archive(arguments, context);
  if (!arguments.output.empty()) {
    throw support::Error(ErrorKind::usage, "-o is for --instrument and --remove");
  }
  if (arguments.network.cpu.empty() && arguments.measured.empty()) {
    throw support::Error(ErrorKind::usage,
                         "say what to do: --cpu CPU, --measured FILE, --instrument or --remove");
  }
  const Screen screen = screen_of_standard_output();
  RunOptions options = run_options(arguments.network, context.limits);
  options.seed = arguments.seed;
  // A wrong command line is an error before the network runs.
  if (!arguments.clock.empty()) hertz_of(arguments.clock);
  if (!arguments.cycles.empty()) cycles_of(arguments.cycles);
  DocumentForm form(JsonLayout::pretty);
  std::optional<Profile> before;
  if (!arguments.other.empty()) {
    if (!arguments.measured.empty() && !is_json(arguments.other)) {
      throw support::Error(ErrorKind::usage,
                           "measurements are compared with a file that --json has written");
    }
    before = is_json(arguments.other)
                 ? get_or_throw(load_profile(arguments.other))
                 : profile_of_archive(arguments.other, arguments, options, context, form);
  }
  const Profile profile =
      profile_of_archive(arguments.network.archive, arguments, options, context, form);
  if (before) {
    const std::string of_before = build_text(*before);
    const std::string of_this = build_text(profile);
    if (of_before != of_this) {
      context.console.warn("the builds differ: " + of_this + ", and before " + of_before);
    }
    print(changes_table(*before, profile).text(screen));
  } else if (arguments.json) {
    print(to_json(profile, form));
  } else {
    const Table kernels = kernels_table(profile);
    print(calls_table(profile).text(screen) + (kernels.empty() ? "" : "\n" + kernels.text(screen)) +
          "\n" + lines_for(source_text(profile), {.width = screen.width}));
  }
  return 0;
}

}  // namespace

Command profile_command(CLI::App& parent) {
  return make_command(
      parent, "profile",
      "Show the instructions or the time of each call of main: instructions of a microcontroller "
      "in QEMU, time on this computer. This compiles the archive's C. The emulated program has no "
      "access to this computer; with --cpu host it has your rights",
      declare_profile_options, run_profile);
}

}  // namespace mlf::program
