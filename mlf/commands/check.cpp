// mlf check: whether the networks of an archive fit.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "archive/output_file.h"
#include "arguments.h"
#include "commands/budget_file.h"
#include "commands/budget_update.h"
#include "commands/check_formats.h"
#include "commands/command.h"
#include "options.h"
#include "output.h"

namespace mlf::program {
namespace {

struct CheckArguments {
  std::string archive;
  std::vector<std::pair<Resource, std::string>> limits;  ///< as written
  std::vector<std::string> no_findings;                  ///< codes as written
  std::string budget;
  CheckFormat format = CheckFormat::text;
  bool update = false;
  CompilerArguments compiler{};
  std::string library_stack;  ///< as written; empty: not known
  std::string library_flash;
};

std::vector<std::string> finding_codes() {
  std::vector<std::string> codes;
  for (const CostFindingInfo& one : all_cost_findings()) codes.emplace_back(one.code);
  return codes;
}

void declare_check_options(CLI::App& app, CheckArguments& options) {
  app.add_option("ARCHIVE", options.archive, kArchiveHelp)->required();
  for (const ResourceInfo& one : resource_infos()) {
    app.add_option_function<std::string>(
           "--" + std::string(one.name),
           [&options, resource = one.resource](const std::string& text) {
             options.limits.emplace_back(resource, text);
           },
           std::string(one.meaning))
        ->type_name("N")
        ->check(size_with_unit())
        ->group("Limits: N is a number, or a number with K, M or G; bytes but for --mac");
  }
  app.add_option("--no-finding", options.no_findings,
                 "Fail if mlf report finds this code; repeatable")
      ->type_name("CODE")
      ->check(one_of(finding_codes()))
      ->group("Other demands");
  auto* budget =
      app.add_option(
             "--budget", options.budget,
             "Read limits in TOML: buffers = \"96K\", no-finding = [\"CODE\"], also in tables "
             "[modules.NAME]")
          ->type_name("FILE")
          ->group("Other demands");
  app.add_flag("--update", options.update,
               "Lower the limits in FILE of --budget to what is needed now; never raises one, and "
               "keeps comments and layout")
      ->needs(budget)
      ->group("Other demands");
  add_compiler_options(app, options.compiler);
  app.add_option(
         "--library-stack", options.library_stack,
         "Stack bytes that functions outside of the archive (libm, TVM's runtime) take at most")
      ->type_name("N")
      ->check(size_with_unit())
      ->group("Compiler");
  app.add_option("--library-flash", options.library_flash, "Flash bytes of these functions")
      ->type_name("N")
      ->check(size_with_unit())
      ->group("Compiler");
  add_enum_option(app, "--format", options.format,
                  {{"text", CheckFormat::text, "a line for each limit"},
                   {"json", CheckFormat::json, "schemas/check.md"},
                   {"junit", CheckFormat::junit, "for CI"},
                   {"sarif", CheckFormat::sarif, "for code scanning"}},
                  {"FORMAT", "Output"}, "Form of the result");
}

/// The demands of the file, and those of the command line: its limits count before the file's.
Result<Budget> with_arguments(Budget budget, const CheckArguments& options) {
  for (const auto& [resource, text] : options.limits) {
    const auto number = number_of(text);
    if (!number) return tl::make_unexpected(number.error());
    const Limit limit{resource, *number};
    const auto is_same = [&](const Limit& one) { return one.resource == limit.resource; };
    std::erase_if(budget.common.limits, is_same);
    budget.common.limits.push_back(limit);
    for (auto& [name, demands] : budget.of_modules) std::erase_if(demands.limits, is_same);
  }
  for (const std::string& text : options.no_findings) {
    const auto code = finding_named(text);
    if (!code) return tl::make_unexpected(code.error());
    budget.common.no_findings.push_back(*code);
  }
  return budget;
}

/// Errors: `usage`.
Result<LibraryNeeds> library_of(const CheckArguments& options) {
  LibraryNeeds library;
  const std::pair<const std::string*, std::optional<std::uint64_t>*> given[] = {
      {&options.library_stack, &library.stack}, {&options.library_flash, &library.flash}};
  for (const auto& [text, bytes] : given) {
    if (text->empty()) continue;
    const auto number = number_of(*text);
    if (!number) return tl::make_unexpected(number.error());
    *bytes = *number;
  }
  return library;
}

/// Limits as low as they can be and still hold, where the file has a higher one or none.
std::vector<ModuleLimit> lowered(const Budget& file, const Budget& budget, const Report& report,
                                 const LibraryNeeds& library) {
  std::vector<ModuleLimit> limits;
  for (const ModuleReport& module : report.modules) {
    const std::vector<Limit> in_file = file.demands_on(module.name).limits;
    for (Limit limit : budget.demands_on(module.name).limits) {
      const auto most = needed(module, limit.resource, library).max;
      if (most) limit.most = std::min(limit.most, *most);
      const auto has_it = [&](const Limit& one) {
        return one.resource == limit.resource && one.most <= limit.most;
      };
      if (std::ranges::none_of(in_file, has_it)) limits.push_back({module.name, limit});
    }
  }
  return limits;
}

/// A limit on a module that is not there would hold whatever happens. Errors: `invalid_input` with
/// the place of its name, as for any other wrong name in the file.
Result<void> require_modules(const Budget& budget, const Report& report,
                             const std::string& archive) {
  std::vector<std::string> names;
  for (const ModuleReport& module : report.modules) names.push_back(module.name);
  for (const auto& [name, demands] : budget.of_modules) {
    const auto module = std::ranges::find(report.modules, name, &ModuleReport::name);
    if (module != report.modules.end()) continue;
    return tl::make_unexpected(
        Diagnostic{ErrorKind::invalid_input,
                   fmt::format("{}: {}", archive, unknown_module(name, names)), demands.where});
  }
  return {};
}

/// Errors: `usage`.
Result<void> check_budget_file(const CheckArguments& options) {
  if (!options.update) return {};
  std::error_code ignored;
  const bool is_stream = std::filesystem::exists(options.budget, ignored) &&
                         !std::filesystem::is_regular_file(options.budget, ignored);
  if (options.budget == "-" || is_stream) {
    return tl::make_unexpected(
        Diagnostic{ErrorKind::usage, "--update needs a file, no stream", {.file = options.budget}});
  }
  return check_output(options.budget, std::array{options.archive});
}

Result<BudgetFile> file_of(const CheckArguments& options) {
  return options.budget.empty() ? BudgetFile() : read_budget(options.budget);
}

int run_check(const CheckArguments& options, const Context& context) {
  const Console& console = context.console;
  const auto file = check_budget_file(options).and_then([&] { return file_of(options); });
  if (!file) return console.fail(file.error());
  const auto budget = with_arguments(file->budget, options);
  if (!budget) return console.fail(budget.error());
  if (budget->common.empty() && budget->of_modules.empty()) {
    return console.fail(ErrorKind::usage,
                        "nothing to check: give a limit, --no-finding CODE or --budget FILE");
  }
  const auto library = library_of(options);
  if (!library) return console.fail(library.error());
  const auto report = read_report_argument(options.archive, context.limits, context.console,
                                           report_options(options.compiler));
  if (!report) return console.fail(report.error());
  if (const auto known = require_modules(file->budget, *report, options.archive); !known) {
    return console.fail(known.error());
  }
  const CheckResults results = check(*report, *budget, *library);
  const auto printed =
      print(to_text(results, options.archive, options.format, screen_of_standard_output()));
  if (!printed) return console.fail(printed.error());
  if (options.update) {
    const auto written =
        update_budget(options.budget, *file, lowered(file->budget, *budget, *report, *library));
    if (!written) return console.fail(written.error());
  }
  return results.all_hold() ? 0 : exit_code(ErrorKind::check_failed);
}

}  // namespace

Command check_command(CLI::App& parent) {
  CLI::App* app = parent.add_subcommand("check",
                                        "Check that the networks of an archive fit a budget: exit "
                                        "with 1 if a limit does not hold or "
                                        "is undecided, and print what is needed");
  const auto options = std::make_shared<CheckArguments>();
  declare_check_options(*app, *options);
  return {app, [options](const Context& context) { return run_check(*options, context); }};
}

}  // namespace mlf::program
