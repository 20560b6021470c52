// mlf report: the costs of an archive's networks.
#include <optional>
#include <string>
#include <vector>

#include "archive/output_file.h"
#include "arguments.h"
#include "commands/report_tables.h"
#include "mlf/report.h"
#include "report_page.h"
#include "result_file.h"
#include "support/error.h"

namespace mlf::program {
namespace {

using support::get_or_throw;

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
  std::vector<std::string> profiles;
  CompilerArguments compiler{};
};

/// The rows of `mlf table --rows call`.
std::string calls_as_csv(const Report& report) {
  std::vector<Cell> names;
  for (const RowColumn& column : columns_of(RowKind::call))
    names.emplace_back(std::string(column.name));
  std::string text = csv_line(names);
  for (const auto& row : rows_of(report, RowKind::call)) text += csv_line(row);
  return text;
}

void print_report(const Report& report, const ReportArguments& options) {
  std::string text;
  const auto sink = [&](std::string_view bytes) { text += bytes; };
  if (options.json) {
    get_or_throw(write_report_json(report, JsonLayout::compact, sink));
  } else if (options.csv) {
    text = calls_as_csv(report);
  } else if (options.node_data) {
    get_or_throw(write_node_data(report, *options.node_data, JsonLayout::compact, sink));
  } else {
    ReportView view{.columns = {}, .sort = {}, .top = options.top};
    for (const std::string& name : options.columns) view.columns.push_back(column_named(name));
    if (!options.sort.empty()) view.sort = column_named(options.sort);
    view.screen = screen_of_standard_output();
    text = to_tables(report, view);
  }
  print(text);
}

CLI::Option* add_node_data_option(CLI::App& app, ReportArguments& options) {
  EnumNames<std::optional<CallMeasure>> names;
  for (const CallMeasureInfo& one : call_measures()) {
    names.push_back({std::string(one.column), one.measure, ""});
  }
  return add_enum_option(app, "--node-data", options.node_data, names, {"NUMBER", "Output"},
                         "Print this column for mlf graph --format model-explorer");
}

void declare_report_options(CLI::App& app, ReportArguments& options) {
  app.add_option("ARCHIVE", options.archive, kArchiveHelp)->required();
  const std::vector<std::string> columns = column_names();
  add_option(app, "--columns", options.columns, {"NAMES", "Table of calls"},
             "Columns of the table, in this order, with commas between")
      ->delimiter(',')
      ->check(one_of(columns));
  add_option(app, "--sort", options.sort, {"NAME", "Table of calls"},
             "Sort the calls by this column, the largest number first")
      ->check(one_of(columns));
  add_option(app, "--top", options.top, {"N", "Table of calls"}, "Show at most N calls of a module")
      ->check(whole_number(1, UINT64_MAX));
  add_tir_option(app, options.tir_files);
  add_profile_option(app, options.profiles);
  add_compiler_options(app, options.compiler);
  auto* json =
      app.add_flag("--json", options.json, "Print JSON (schemas/report.md)")->group("Output");
  auto* csv = app.add_flag("--csv", options.csv, "Print the rows of mlf table --rows call")
                  ->group("Output")
                  ->excludes(json);
  auto* html = add_result_option(app, "--html", options.html, {"FILE", "Output"},
                                 "Write one HTML page with everything; - is standard output")
                   ->excludes(json)
                   ->excludes(csv);
  add_node_data_option(app, options)->excludes(json)->excludes(csv)->excludes(html);
  app.footer("Columns:" + columns_help() + "\n");
}

/// Errors: `usage` if the page would overwrite one of its inputs.
void check_page(const ReportArguments& options) {
  if (options.html.empty()) return;
  std::vector<std::string> inputs = options.tir_files;
  inputs.push_back(options.archive);
  inputs.insert(inputs.end(), options.profiles.begin(), options.profiles.end());
  check_output(options.html, inputs);
}

int run_report(const ReportArguments& options, const Context& context) {
  check_page(options);
  const Limits limits = with_macros_of(options.compiler, context.limits);
  const Deployment deployment =
      open_archive(options.archive, {context.console, limits, context.words}, options.tir_files);
  Report report =
      get_or_throw(report_of(deployment, {.compiler = compiler_of(options.compiler, limits)}));
  add_profiles(report, deployment, options.profiles);
  if (options.html.empty()) {
    print_report(report, options);
  } else {
    write_report_page(deployment, report, options.archive, options.html, context.words);
  }
  return 0;
}

}  // namespace

Command report_command(CLI::App& parent) {
  return make_command(
      parent, "report",
      "Show what a network costs and why: RAM, flash and arithmetic of each module, the peak of "
      "memory, findings, and every call. A number that is not exact is shown as a range, an "
      "unknown one as ?",
      declare_report_options, run_report);
}

}  // namespace mlf::program
