// mlf optimize: writes an archive with less flash and less RAM.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "arguments.h"
#include "mlf/optimize.h"
#include "options.h"
#include "result_file.h"
#include "support/digits.h"
#include "support/error.h"
#include "table.h"

namespace mlf::program {
namespace {

struct OptimizeArguments {
  std::string archive;
  std::string output;
  std::vector<std::string> only;
  bool reorder = false;
  bool in_place = false;
  bool drop_unused = false;
  bool dry_run = false;
  bool json = false;
  CompilerArguments compiler{};
  double seconds = 0;  ///< 0: the library's default number of steps
};

void declare_optimize_options(CLI::App& app, OptimizeArguments& options) {
  std::vector<std::string> names;
  for (const OptimizationName& one : optimization_names()) names.emplace_back(one.name);
  app.add_option("ARCHIVE", options.archive, kArchiveHelp)->required();
  auto* output = add_result_option(app, "-o,--output", options.output, {"OUT", "Output"},
                                   "Write the smaller archive here; - is standard output");
  add_flag(app, "--dry-run", options.dry_run, "Output",
           "Write no archive, only print what would be saved")
      ->excludes(output);
  add_flag(app, "--json", options.json, "Output", "Print JSON (schemas/optimize.md)");
  add_option(app, "--only", options.only, {"WHAT", "Changes"},
             "Do only this; repeatable: narrow (smaller types of constants), collapse (one element "
             "of constants whose elements are equal), share (equal constants once), flash (these "
             "three), ram (offsets in memory pools)")
      ->check(one_of(names));
  add_flag(app, "--drop-unused", options.drop_unused, "Changes",
           "Also remove functions, constants and pools that nothing uses");
  add_flag(app, "--reorder", options.reorder, "Changes",
           "Also put the calls of main into another order if that needs less memory");
  add_flag(app, "--in-place", options.in_place, "Changes",
           "Also write results over their inputs, if the TIR proves that each element is read "
           "before it is written and never again");
  add_compiler_options(app, options.compiler,
                       "Compile the archive's C with this command, and change no constant whose "
                       "new form needs more code than it saves");
  add_option(app, "--seconds", options.seconds, {"S", "Changes"},
             "End the search for offsets after this number of seconds")
      ->check(number_above_0());
}

/// The option accepts only known names.
Optimizations optimizations_of(const OptimizeArguments& options) {
  Optimizations what;
  if (!options.only.empty()) what = optimizations_named(options.only).value();
  what.reorder = options.reorder;
  what.in_place = options.in_place;
  what.drop_unused = options.drop_unused;
  return what;
}

std::vector<std::string> row_of(const std::string& module, const std::string& what,
                                std::uint64_t before, std::uint64_t after) {
  return {module,
          what,
          std::to_string(before),
          std::to_string(after),
          std::to_string(before - after),
          percent(before - after, before)};
}

/// The saving is known even if there may be more constants.
std::vector<std::string> row_of_constants(const OptimizedModule& module) {
  if (module.constants_before && module.constants_after) {
    return row_of(module.name, "constants", *module.constants_before, *module.constants_after);
  }
  return {module.name, "constants", "?", "?", std::to_string(module.saved.total()), "?"};
}

/// Before and after, by module: constants, and each pool.
Table gains_table(const OptimizeReport& report) {
  Table table({"MODULE", "MEMORY", "#BEFORE", "#AFTER", "#SAVED", "#%"});
  for (const OptimizedModule& module : report.modules) {
    if (!module.constants.empty()) table.add(row_of_constants(module));
    for (const OptimizedPool& pool : module.pools) {
      table.add(row_of(module.name, "pool " + pool.name, pool.bytes_before, pool.bytes_after));
    }
  }
  return table;
}

std::string plural(std::size_t count, std::string_view one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

/// "module 'default': smaller types of 45 constants save 27,000 bytes"
std::string causes_of(const OptimizedModule& module) {
  const auto count = [&](auto is_one) {
    return static_cast<std::size_t>(std::ranges::count_if(module.constants, is_one));
  };
  const auto shared = count([](const OptimizedConstant& one) { return !one.equal.empty(); });
  const auto dropped = count([](const OptimizedConstant& one) { return one.is_dropped; });
  const auto narrowed = count([](const OptimizedConstant& one) {
    return one.equal.empty() && !one.is_dropped && !one.is_parameter && one.before != one.after;
  });
  std::size_t parameters = 0;
  std::uint64_t saved_by_parameters = 0;
  for (const OptimizedConstant& one : module.constants) {
    if (!one.is_parameter || one.before == one.after) continue;
    ++parameters;
    saved_by_parameters += one.bytes_before - one.bytes_after;
  }
  const auto collapsed = count([](const OptimizedConstant& one) { return one.is_collapsed; });
  std::string text;
  const auto add = [&](std::size_t constants, const std::string& how, std::uint64_t bytes) {
    if (constants == 0) return;
    text += fmt::format("module '{}': {} save{} {} bytes\n", printable(module.name), how,
                        how.starts_with("1 ") ? "s" : "", bytes);
  };
  add(narrowed, "smaller types of " + plural(narrowed, "constant"), module.saved.narrowing);
  add(parameters, "smaller types of " + plural(parameters, "parameter"), saved_by_parameters);
  add(collapsed, "single elements of " + plural(collapsed, "constant") + " of one value",
      module.saved.collapsing);
  add(shared,
      plural(shared, "constant") + (shared == 1 ? " that equals another" : " that equal another"),
      module.saved.sharing);
  add(dropped, plural(dropped, "constant") + " that nothing reads", module.saved.dropping);
  const auto functions = static_cast<std::size_t>(std::ranges::count_if(
      module.functions, [](const OptimizedFunction& one) { return one.is_dropped; }));
  if (functions > 0) {
    text += fmt::format("module '{}': {} that nothing calls dropped\n", printable(module.name),
                        plural(functions, "function"));
  }
  return text;
}

/// Constants that stay, with reasons; none for those that are already as small as possible.
Table kept_table(const OptimizeReport& report) {
  Table table({"MODULE", "KEPT", "#BYTES", "~WHY"});
  for (const OptimizedModule& module : report.modules) {
    if (!module.constants_kept.empty()) {
      table.add({module.name, "constants", "", module.constants_kept});
    }
    std::map<std::string, std::pair<std::size_t, std::uint64_t>> by_reason;
    for (const OptimizedConstant& one : module.constants) {
      if (one.kept.empty()) continue;
      auto& [count, bytes] = by_reason[one.kept];
      ++count;
      bytes += one.bytes_before;
    }
    for (const auto& [why, sum] : by_reason) {
      table.add({module.name, plural(sum.first, "constant"), std::to_string(sum.second), why});
    }
    for (const OptimizedFunction& one : module.functions) {
      if (!one.is_dropped) table.add({module.name, one.symbol, "", one.kept});
    }
    if (!module.pools_kept.empty()) table.add({module.name, "pools", "", module.pools_kept});
  }
  return table;
}

std::string to_text(const OptimizeReport& report, const Screen& screen) {
  const Table gains = gains_table(report);
  std::string text = gains.empty() ? "" : gains.text(screen) + "\n";
  std::string causes;
  for (const OptimizedModule& module : report.modules) causes += causes_of(module);
  if (report.ram_plan == RamPlan::in_place) causes += "results are written over their inputs\n";
  if (report.ram_plan == RamPlan::order) causes += "calls of main are in another order\n";
  if (!causes.empty()) text += lines_for(causes, screen) + "\n";
  const Table kept = kept_table(report);
  if (!kept.empty()) return text + kept.text(screen);
  if (!text.empty()) text.pop_back();
  return text;
}

int run_optimize(const OptimizeArguments& options, const Context& context) {
  if (options.output.empty() && !options.dry_run) {
    throw support::Error(ErrorKind::usage, "nowhere to write: give -o OUT, or --dry-run");
  }
  check_terminal(options.output);
  const bool prints_nothing =
      takes_standard_output({options.output}, options.json ? Printed::json : Printed::table);
  const Deployment deployment = open_archive(options.archive, context);
  OptimizeOptions optimize{.output = options.output,
                           .what = optimizations_of(options),
                           .search = {},
                           .archive_limits = context.limits.archive_limits,
                           .tir_limits = context.limits.tir_limits};
  optimize.compiler = compiler_of(options.compiler, context.limits);
  if (options.seconds > 0) {
    optimize.search.seconds = std::chrono::duration<double>(options.seconds);
    optimize.search.steps = UINT64_MAX;
  }
  const OptimizeReport report = support::get_or_throw(write_optimized(deployment, optimize));
  for (const std::string& lost : report.lost) context.console.warn(lost);
  if (report.changed.empty()) {
    context.console.note(
        fmt::format("{}: no constant or pool in it can be smaller", options.archive));
  }
  for (const std::string& name : report.changed) {
    context.console.detail(fmt::format("{}: {} changed", options.archive, name));
  }
  if (prints_nothing) return 0;
  print(options.json ? to_json(report, form_of(context, {&deployment}))
                     : to_text(report, screen_of_standard_output()));
  return 0;
}

}  // namespace

Command optimize_command(CLI::App& parent) {
  return make_command(
      parent, "optimize",
      "Write an archive that needs less flash and less RAM: constants get the smallest type that "
      "holds their values, equal ones are stored once, and buffers get the offsets of the best "
      "plan, in C, headers, metadata.json and TIR alike. Changes only what it can prove to give "
      "the same results",
      declare_optimize_options, run_optimize);
}

}  // namespace mlf::program
