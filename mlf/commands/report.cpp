// mlf report: what the networks of an archive cost, and where.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "archive/output_file.h"
#include "arguments.h"
#include "commands/command.h"
#include "commands/report_tables.h"
#include "mlf/report.h"
#include "options.h"
#include "output.h"
#include "report_page.h"

namespace mlf::program {
namespace {

struct ReportArguments {
  std::string archive;
  std::vector<std::string> tir_files;
  std::vector<std::string> columns;
  std::string sort;
  std::size_t top = 0;
  bool json = false;
  bool csv = false;
  std::string html;
  std::optional<CallMeasure> node_data{};
  CompilerArguments compiler{};
};

Result<Deployment> open_deployment(const ReportArguments& options, const Limits& limits) {
  const std::uint64_t most = limits.tir.max_source_bytes;
  return load_tir_files(options.tir_files, most).and_then([&](std::vector<TirFile> files) {
    return Deployment::open(options.archive, limits.deployment(std::move(files)));
  });
}

/// The rows of `mlf table --rows call`.
std::string calls_as_csv(const Report& report) {
  std::vector<Cell> names;
  for (const RowColumn& column : columns_of(RowKind::call))
    names.emplace_back(std::string(column.name));
  std::string text = csv_line(names);
  for (const auto& row : rows_of(report, RowKind::call)) text += csv_line(row);
  return text;
}

Result<void> print_report(const Report& report, const ReportArguments& options) {
  if (options.json) {
    OutputStream out;
    return write_report_json(report, JsonLayout::compact,
                             [&](std::string_view bytes) { out.write(bytes); })
        .and_then([&] { return out.finish(); });
  }
  if (options.csv) return print(calls_as_csv(report));
  if (options.node_data) {
    OutputStream out;
    return write_node_data(report, *options.node_data, JsonLayout::compact,
                           [&](std::string_view bytes) { out.write(bytes); })
        .and_then([&] { return out.finish(); });
  }
  ReportView view{.columns = {}, .sort = {}, .top = options.top};
  for (const std::string& name : options.columns) view.columns.push_back(column_named(name));
  if (!options.sort.empty()) view.sort = column_named(options.sort);
  view.screen = screen_of_standard_output();
  return print(to_tables(report, view));
}

CLI::Option* add_node_data_option(CLI::App& app, ReportArguments& options) {
  EnumNames<std::optional<CallMeasure>> names;
  for (const CallMeasureInfo& one : call_measures()) {
    names.push_back({std::string(one.column), one.measure, ""});
  }
  return add_enum_option(
      app, "--node-data", options.node_data, names, {"NUMBER", "Output"},
      "Print this column (mac, loaded, stored, params, scratch or live) for mlf graph "
      "--format model-explorer");
}

/// Errors: `usage` where the page would replace what it is made of.
Result<void> check_page(const ReportArguments& options) {
  if (options.html.empty()) return {};
  std::vector<std::string> inputs = options.tir_files;
  inputs.push_back(options.archive);
  return check_output(options.html, inputs);
}

int run_report(const ReportArguments& options, const Context& context) {
  if (const auto page = check_page(options); !page) return context.console.fail(page.error());
  const auto deployment = open_deployment(options, context.limits);
  if (!deployment) return context.console.fail(deployment.error());
  warn_if_incomplete(*deployment, context.console);
  const auto report = report_of(*deployment, report_options(options.compiler));
  if (!report) return context.console.fail(report.error());
  const auto printed = options.html.empty()
                           ? print_report(*report, options)
                           : write_report_page(*deployment, *report, options.archive, options.html);
  return printed ? 0 : context.console.fail(printed.error());
}

}  // namespace

Command report_command(CLI::App& parent) {
  CLI::App* app = parent.add_subcommand(
      "report",
      "Show what a network costs and why: RAM, flash and arithmetic of each module, the peak of "
      "memory, findings, and every call. A number that is not exact is shown as a range, an "
      "unknown "
      "one as ?");
  const auto options = std::make_shared<ReportArguments>();
  app->add_option("ARCHIVE", options->archive, kArchiveHelp)->required();
  const std::vector<std::string> columns = column_names();
  app->add_option("--columns", options->columns,
                  "Columns of the table, in this order, with commas between")
      ->type_name("NAMES")
      ->group("Table of calls")
      ->delimiter(',')
      ->check(one_of(columns));
  app->add_option("--sort", options->sort,
                  "Sort the calls by this column, the largest number first")
      ->type_name("NAME")
      ->group("Table of calls")
      ->check(one_of(columns));
  app->add_option("--top", options->top, "Show at most N calls of a module")
      ->type_name("N")
      ->group("Table of calls")
      ->check(whole_number(1, UINT64_MAX));
  app->add_option("--tir", options->tir_files,
                  "Also read TIR from this file (see mlf process); repeatable")
      ->type_name("FILE")
      ->group("Input");
  add_compiler_options(*app, options->compiler);
  auto* json =
      app->add_flag("--json", options->json, "Print JSON (schemas/report.md)")->group("Output");
  auto* csv = app->add_flag("--csv", options->csv, "Print the rows of mlf table --rows call")
                  ->group("Output")
                  ->excludes(json);
  auto* html = app->add_option("--html", options->html,
                               "Write one HTML page with everything; - is standard output")
                   ->type_name("FILE")
                   ->group("Output")
                   ->excludes(json)
                   ->excludes(csv);
  add_node_data_option(*app, *options)->excludes(json)->excludes(csv)->excludes(html);
  app->footer("Columns:" + columns_help() + "\n");
  return {app, [options](const Context& context) { return run_report(*options, context); }};
}

}  // namespace mlf::program
