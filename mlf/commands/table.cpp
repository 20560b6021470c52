// mlf table: rows about many archives, for other tools.
#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include "arguments.h"
#include "commands/row_columns.h"
#include "jobs.h"
#include "mlf/profile.h"
#include "mlf/report.h"
#include "support/error.h"

namespace mlf::program {
namespace {

enum class RowFormat { csv, jsonl };

struct TableArguments {
  std::vector<std::string> archives;
  RowKind rows = RowKind::archive;
  RowFormat format = RowFormat::csv;
  std::vector<std::string> profiles;
  unsigned jobs = 1;
};

/// The profiles of the archives. Each archive gets those of its own build.
class ArchiveProfiles {
 public:
  /// Throws `Error`: those of the files; `usage` for a measurement and several archives, as it does
  /// not say which build ran.
  explicit ArchiveProfiles(const TableArguments& options)
      : files_(options.profiles), is_used_(options.profiles.size()) {
    for (const std::string& file : files_) {
      profiles_.push_back(support::get_or_throw(load_profile(file)));
      if (options.archives.size() > 1 && profiles_.back().code.empty()) {
        throw support::Error(ErrorKind::usage,
                             "a measurement does not say which build ran: give one ARCHIVE",
                             {.file = file});
      }
    }
  }

  /// Any number of threads may call this at once.
  void add_to(Report& report, const Deployment& deployment) {
    for (std::size_t i = 0; i < profiles_.size(); ++i) {
      const auto added = add_profile(report, deployment, profiles_[i]);
      if (added) {
        is_used_[i] = true;
      } else if (added.error().kind != ErrorKind::usage) {
        throw support::Error(added.error());
      }
    }
  }

  /// Throws a `usage` error for a profile that is of no archive.
  void require_used() const {
    for (std::size_t i = 0; i < files_.size(); ++i) {
      if (!is_used_[i]) {
        throw support::Error(ErrorKind::usage, "the profile is of no ARCHIVE", {.file = files_[i]});
      }
    }
  }

 private:
  const std::vector<std::string>& files_;
  std::vector<Profile> profiles_;
  std::vector<std::atomic<bool>> is_used_;
};

/// The rows of one archive, or its error.
struct ArchiveRows {
  std::vector<std::vector<Cell>> rows;
  std::optional<Diagnostic> failure;
};

ArchiveRows rows_of_archive(const std::string& path, RowKind kind, ArchiveProfiles& profiles,
                            const Context& context) {
  auto rows = support::to_result([&] {
    const Deployment deployment = open_archive(path, context);
    Report report = support::get_or_throw(report_of(deployment));
    profiles.add_to(report, deployment);
    return rows_of(report, kind);
  });
  return rows ? ArchiveRows{*std::move(rows), {}} : ArchiveRows{{}, std::move(rows.error())};
}

/// Names of the columns: the archive and its error come first.
std::vector<std::string> names_of_columns(RowKind kind) {
  std::vector<std::string> names{"archive", "error"};
  for (const RowColumn& column : columns_of(kind)) names.emplace_back(column.name);
  return names;
}

class RowPrinter {
 public:
  explicit RowPrinter(const TableArguments& options)
      : format_(options.format), names_(names_of_columns(options.rows)) {}

  void head() const {
    if (format_ == RowFormat::jsonl) return;
    std::vector<Cell> cells;
    for (const std::string& name : names_) cells.emplace_back(name);
    print(csv_line(cells));
  }

  void archive(const std::string& path, const ArchiveRows& rows) const {
    std::string text;
    const std::string name = printable(path);
    for (const auto& row : rows.rows) text += line({name, {}}, row);
    // An archive with an error has one row, so none is missing.
    if (rows.failure) text += line({name, printable(rows.failure->message)}, {});
    print(text);
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

/// The reason why there are no rows.
void note_if_empty(const std::vector<ArchiveRows>& found, RowKind kind, const Console& console) {
  const auto is_empty = [](const ArchiveRows& one) { return one.rows.empty() && !one.failure; };
  if (!std::ranges::all_of(found, is_empty)) return;
  const auto row = std::ranges::find(row_kinds(), kind, &RowKindInfo::kind);
  console.note(fmt::format("no rows: {} no {}",
                           found.size() == 1 ? "the archive has" : "the archives have",
                           row->meaning.substr(std::string_view("a ").size())));
}

int run_table(const TableArguments& options, const Context& context) {
  ArchiveProfiles profiles(options);
  std::vector<ArchiveRows> found(options.archives.size());
  for_each_index(found.size(), options.jobs, [&](std::size_t i) {
    found[i] = rows_of_archive(options.archives[i], options.rows, profiles, context);
  });
  profiles.require_used();
  const RowPrinter printer(options);
  printer.head();
  int exit = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    printer.archive(options.archives[i], found[i]);
    if (!found[i].failure) continue;
    const int code = context.console.fail(*found[i].failure);
    if (exit == 0) exit = code;
  }
  note_if_empty(found, options.rows, context.console);
  return exit;
}

void declare_table_options(CLI::App& app, TableArguments& options) {
  app.add_option("ARCHIVE", options.archives,
                 "Tars (plain, gzip, xz or zstd) or unpacked directories")
      ->required();
  EnumNames<RowKind> kinds;
  for (const auto& [kind, name, meaning] : row_kinds()) {
    kinds.push_back({std::string(name), kind, std::string(meaning)});
  }
  add_enum_option(app, "--rows", options.rows, kinds, {"KIND", "Output"}, "What a row is");
  add_enum_option(app, "--format", options.format,
                  {{"csv", RowFormat::csv, "with a line of names first"},
                   {"jsonl", RowFormat::jsonl, "a JSON object in each line"}},
                  {"FORMAT", "Output"}, "Form of the rows");
  add_profile_option(app, options.profiles);
  add_jobs_option(app, options.jobs, "Archives to read");
  app.footer(row_columns_help());
}

}  // namespace

Command table_command(CLI::App& parent) {
  return make_command(parent, "table",
                      "Print the numbers of reports as rows, for spreadsheets and databases",
                      declare_table_options, run_table);
}

}  // namespace mlf::program
