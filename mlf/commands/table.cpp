// mlf table: what reports know of many archives, as rows for other tools.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "arguments.h"
#include "commands/command.h"
#include "commands/row_columns.h"
#include "jobs.h"
#include "mlf/report.h"
#include "output.h"

namespace mlf::program {
namespace {

enum class RowFormat { csv, jsonl };

struct TableArguments {
  std::vector<std::string> archives;
  RowKind rows = RowKind::archive;
  RowFormat format = RowFormat::csv;
  unsigned jobs = 1;
};

/// The rows of one archive, or why there are none.
struct ArchiveRows {
  std::vector<std::vector<Cell>> rows;
  std::optional<Diagnostic> failure;
};

ArchiveRows rows_of_archive(const std::string& path, RowKind kind, const Context& context) {
  const auto read = read_report_argument(path, context.limits, context.console);
  const auto rows = read.map([&](const Report& report) { return rows_of(report, kind); });
  return rows ? ArchiveRows{*rows, {}} : ArchiveRows{{}, rows.error()};
}

/// Names of the columns: whose row it is and what was wrong with it come first.
std::vector<std::string> names_of_columns(RowKind kind) {
  std::vector<std::string> names{"archive", "error"};
  for (const RowColumn& column : columns_of(kind)) names.emplace_back(column.name);
  return names;
}

class RowPrinter {
 public:
  explicit RowPrinter(const TableArguments& options)
      : format_(options.format), names_(names_of_columns(options.rows)) {}

  Result<void> head() const {
    if (format_ == RowFormat::jsonl) return {};
    std::vector<Cell> cells;
    for (const std::string& name : names_) cells.emplace_back(name);
    return print(csv_line(cells));
  }

  Result<void> archive(const std::string& path, const ArchiveRows& rows) const {
    std::string text;
    const std::string name = printable(path);
    for (const auto& row : rows.rows) text += line({name, {}}, row);
    // One bad archive is one row, so that none is missing.
    if (rows.failure) text += line({name, printable(rows.failure->message)}, {});
    return print(text);
  }

 private:
  std::string line(std::vector<Cell> cells, const std::vector<Cell>& rest) const {
    cells.insert(cells.end(), rest.begin(), rest.end());
    cells.resize(names_.size());
    if (format_ == RowFormat::csv) return csv_line(cells);
    return json_line(names_, cells);
  }

  RowFormat format_;
  std::vector<std::string> names_;
};

/// Why there is nothing below the names.
void note_if_empty(const std::vector<ArchiveRows>& found, RowKind kind, const Console& console) {
  const auto is_empty = [](const ArchiveRows& one) { return one.rows.empty() && !one.failure; };
  if (!std::ranges::all_of(found, is_empty)) return;
  constexpr std::array<std::string_view, 5> kKinds{"module", "call of a network", "network",
                                                   "network with constants", "finding"};
  console.note(fmt::format("no rows: {} no {}",
                           found.size() == 1 ? "the archive has" : "the archives have",
                           kKinds[static_cast<std::size_t>(kind)]));
}

int run_table(const TableArguments& options, const Context& context) {
  std::vector<ArchiveRows> found(options.archives.size());
  for_each_index(found.size(), options.jobs, [&](std::size_t i) {
    found[i] = rows_of_archive(options.archives[i], options.rows, context);
  });
  const RowPrinter printer(options);
  auto printed = printer.head();
  int exit = 0;
  for (std::size_t i = 0; i < found.size() && printed; ++i) {
    printed = printer.archive(options.archives[i], found[i]);
    if (!found[i].failure) continue;
    const int code = context.console.fail(*found[i].failure);
    if (exit == 0) exit = code;
  }
  if (printed) note_if_empty(found, options.rows, context.console);
  return printed ? exit : context.console.fail(printed.error());
}

}  // namespace

Command table_command(CLI::App& parent) {
  CLI::App* app = parent.add_subcommand(
      "table", "Print the numbers of reports as rows, for spreadsheets and databases");
  const auto options = std::make_shared<TableArguments>();
  app->add_option("ARCHIVE", options->archives,
                  "Tars (plain, gzip, xz or zstd) or unpacked directories")
      ->required();
  add_enum_option(*app, "--rows", options->rows,
                  {{"archive", RowKind::archive, "a module of an archive"},
                   {"call", RowKind::call, "a call of a network"},
                   {"tensor", RowKind::tensor, "a value of a network"},
                   {"constant", RowKind::constant, "a constant"},
                   {"finding", RowKind::finding, "a finding of mlf report"}},
                  {"KIND", "Output"}, "What a row is");
  add_enum_option(*app, "--format", options->format,
                  {{"csv", RowFormat::csv, "with a line of names first"},
                   {"jsonl", RowFormat::jsonl, "a JSON object in each line"}},
                  {"FORMAT", "Output"}, "Form of the rows");
  app->add_option("-j,--jobs", options->jobs,
                  "Archives to read at the same time, 1 to 256 (default 1)")
      ->type_name("N")
      ->check(whole_number(1, 256))
      ->group("Other")
      ->capture_default_str();
  app->footer(row_columns_help());
  return {app, [options](const Context& context) { return run_table(*options, context); }};
}

}  // namespace mlf::program
