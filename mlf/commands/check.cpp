// mlf check: whether the networks of an archive fit.
#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "arguments.h"
#include "commands/budget_file.h"
#include "commands/check_formats.h"
#include "commands/command.h"
#include "compiler_option.h"
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
};

void declare_check_options(CLI::App& app, CheckArguments& options) {
  app.add_option("ARCHIVE", options.archive,
                 "A tar (plain, gzip, xz or zstd) or an unpacked directory; - is standard input")
      ->required();
  for (const ResourceInfo& one : resource_infos()) {
    app.add_option_function<std::string>(
           "--" + std::string(one.name),
           [&options, resource = one.resource](const std::string& text) {
             options.limits.emplace_back(resource, text);
           },
           std::string(one.meaning) + (one.unit == "bytes" ? ", in bytes" : ""))
        ->type_name("N");
  }
  app.add_option("--no-finding", options.no_findings,
                 "A code of mlf report's findings that there may be none of; may be repeated")
      ->type_name("CODE")
      ->take_all();
  auto* budget =
      app.add_option("--budget", options.budget,
                     "Limits in TOML: buffers = \"96K\", no-finding = [\"CODE\"], also in tables "
                     "[modules.NAME]")
          ->type_name("FILE");
  app.add_flag("--update", options.update,
               "Lower the limits in FILE to what is needed now, never raise one")
      ->needs(budget);
  add_compiler_options(app, options.compiler);
  add_enum_option(
      app, "--format", options.format,
      {{"text", CheckFormat::text},
       {"json", CheckFormat::json},
       {"junit", CheckFormat::junit},
       {"sarif", CheckFormat::sarif}},
      "text: a line for each limit; json (schemas/check.schema.json); junit and sarif: for "
      "CI");
}

/// The demands of the file, and those of the command line: its limits count before the file's.
Result<Budget> budget_of(const CheckArguments& options) {
  Budget budget;
  if (!options.budget.empty()) {
    auto read = read_budget(options.budget);
    if (!read) return read;
    budget = *std::move(read);
  }
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

/// Every module with the limits that it is held against, as low as they can be and still hold.
Budget lowered(const Budget& budget, const Report& report) {
  Budget result = budget;
  for (const ModuleReport& module : report.modules) {
    Demands demands = budget.demands_on(module.name);
    for (Limit& limit : demands.limits) {
      const auto most = needed(module, limit.resource).max;
      if (most) limit.most = std::min(limit.most, *most);
    }
    result.of_modules[module.name] = std::move(demands);
  }
  return result;
}

int run_check(const CheckArguments& options, const Context& context) {
  const Console& console = context.console;
  const auto budget = budget_of(options);
  if (!budget) return console.fail(budget.error());
  if (budget->common.empty() && budget->of_modules.empty()) {
    return console.fail(ErrorKind::usage,
                        "nothing to check: give a limit, --no-finding CODE or --budget FILE");
  }
  const auto report =
      read_report_argument(options.archive, context.limits, report_options(options.compiler));
  if (!report) return console.fail(report.error());
  CheckResults results;
  for (const ModuleReport& module : report->modules) {
    const Demands demands = budget->demands_on(module.name);
    for (BudgetResult& result : check_budget(module, demands.limits)) {
      results.limits.push_back(std::move(result));
    }
    for (FindingResult& result : check_findings(module, demands.no_findings)) {
      results.findings.push_back(std::move(result));
    }
  }
  const auto printed =
      print(to_text(results, options.archive, options.format, colours_of_standard_output()));
  if (!printed) return console.fail(printed.error());
  if (options.update) {
    const auto written = write_budget(options.budget, lowered(*budget, *report));
    if (!written) return console.fail(written.error());
  }
  return results.all_hold() ? 0 : exit_code(ErrorKind::check_failed);
}

}  // namespace

Command check_command(CLI::App& parent) {
  CLI::App* app = parent.add_subcommand(
      "check", "Check that the networks of an archive fit: 1 if one does not, with what it needs");
  const auto options = std::make_shared<CheckArguments>();
  declare_check_options(*app, *options);
  return {app, [options](const Context& context) { return run_check(*options, context); }};
}

}  // namespace mlf::program
