// mlf table: rows about many archives, for other tools.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "arguments.h"
#include "commands/command.h"
#include "jobs.h"
#include "manual/paragraph.h"
#include "mlf/profile.h"
#include "mlf/report.h"
#include "support/characters.h"
#include "support/error.h"
#include "table.h"

namespace mlf::program {
namespace {

/// The first is text on a terminal, else CSV.
enum class RowFormat { by_output, text, csv, jsonl };

struct TableArguments {
  std::vector<std::string> archives;
  RowKind rows = RowKind::archive;
  RowFormat format = RowFormat::by_output;
  std::string sort;
  std::vector<std::string> profiles;
  CompilerArguments compiler{};
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
using ArchiveRows = Result<std::vector<std::vector<Cell>>>;

/// A row of an archive. An archive with an error has one row, so none is missing.
struct ArchiveRow {
  std::string_view archive;
  Result<std::vector<Cell>> cells;
};

std::vector<ArchiveRow> in_one_list(const std::vector<std::string>& archives,
                                    const std::vector<ArchiveRows>& found) {
  std::vector<ArchiveRow> rows;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!found[i]) rows.push_back({archives[i], tl::unexpected(found[i].error())});
    if (!found[i]) continue;
    for (const auto& cells : *found[i]) rows.push_back({archives[i], cells});
  }
  return rows;
}

std::string_view without_bound(std::string_view column) {
  return column.ends_with("_min") ? column.substr(0, column.size() - 4) : column;
}

/// Names with one column for a number and its bounds.
std::vector<std::string> names_to_sort_by(RowKind kind) {
  std::vector<std::string> names;
  for (const RowColumn& column : columns_of(kind)) {
    if (!column.name.ends_with("_max")) names.emplace_back(without_bound(column.name));
  }
  return names;
}

/// The largest number first: a number without an upper bound may be the largest of all. Text is in
/// alphabetical order. Rows without a cell and archives with an error come last. Throws a `usage`
/// error if rows of this kind have no such column.
void sort_rows(std::vector<ArchiveRow>& rows, RowKind kind, const std::string& name) {
  const std::span<const RowColumn> columns = columns_of(kind);
  const auto column = std::ranges::find(
      columns, name, [](const RowColumn& one) { return without_bound(one.name); });
  if (column == columns.end()) {
    throw support::Error(ErrorKind::usage,
                         fmt::format("--sort: rows of this kind have no column '{}'; they have {}",
                                     name, fmt::join(names_to_sort_by(kind), ", ")));
  }
  const auto at = static_cast<std::size_t>(column - columns.begin());
  const bool is_pair = column->name.ends_with("_min");
  // The order of two cells: greater numbers first, then text.
  const auto key = [&](const ArchiveRow& row) -> std::pair<std::uint64_t, std::string_view> {
    if (!row.cells) return {0, "\xff"};
    const Cell& cell = (*row.cells)[at];
    if (const auto* text = std::get_if<std::string>(&cell)) return {1, *text};
    const auto* least = std::get_if<std::uint64_t>(&cell);
    if (least == nullptr) return {0, ""};
    const auto* most = std::get_if<std::uint64_t>(&(*row.cells)[at + (is_pair ? 1 : 0)]);
    const std::uint64_t number = most != nullptr ? *most : UINT64_MAX;
    return {number < UINT64_MAX ? number + 1 : number, ""};
  };
  std::ranges::stable_sort(rows, [&](const ArchiveRow& a, const ArchiveRow& b) {
    const auto [number_a, text_a] = key(a);
    const auto [number_b, text_b] = key(b);
    return number_a != number_b ? number_a > number_b : text_a < text_b;
  });
}

/// Kernels by their short names, for people.
void shorten_kernels(const Report& report, std::vector<std::vector<Cell>>& rows) {
  std::map<std::string_view, std::string_view> short_names;
  for (const ModuleReport& module : report.modules) {
    for (const KernelReport& one : module.kernels) {
      short_names.emplace(one.symbol, one.short_name);
    }
  }
  for (auto& row : rows) {
    for (Cell& cell : row) {
      auto* text = std::get_if<std::string>(&cell);
      if (text == nullptr) continue;
      // A cell may have several, with commas between.
      std::string shorter;
      for (std::string_view left = *text; !left.empty();) {
        const std::string_view name = left.substr(0, left.find(','));
        const auto found = short_names.find(name);
        shorter += found != short_names.end() ? found->second : name;
        left.remove_prefix(name.size());
        shorter += left.substr(0, 1);
        left.remove_prefix(std::min<std::size_t>(left.size(), 1));
      }
      *text = shorter;
    }
  }
}

ArchiveRows rows_of_archive(const std::string& path, const TableArguments& options,
                            ArchiveProfiles& profiles, const Context& context) {
  return support::to_result([&] {
    auto [deployment, report] = read_report(path, options.compiler, {}, context);
    profiles.add_to(report, deployment);
    auto found = rows_of(report, options.rows);
    if (options.format == RowFormat::text) shorten_kernels(report, found);
    return found;
  });
}

/// Names of the columns: the archive and its error come first.
std::vector<std::string> names_of_columns(RowKind kind) {
  std::vector<std::string> names{"archive", "error"};
  for (const RowColumn& column : columns_of(kind)) names.emplace_back(column.name);
  return names;
}

/// The word of mlf report for a number.
std::string_view word_of_report(RowKind kind, std::string_view number) {
  if (kind == RowKind::call) {
    const auto one = std::ranges::find(call_measures(), number, &CallMeasureInfo::name);
    return one != call_measures().end() ? one->column : number;
  }
  const auto one = std::ranges::find(module_measures(), number, &ModuleMeasureInfo::column);
  return one != module_measures().end() && !one->group().empty() ? one->label : number;
}

/// A table for people, with a number and its bounds in one column.
class RowTable {
 public:
  explicit RowTable(RowKind kind) : columns_(columns_of(kind)), table_(heads(kind)) {}

  void add(const ArchiveRow& row) {
    std::vector<std::string> line{std::string(row.archive),
                                  row.cells ? "" : row.cells.error().message};
    if (row.cells) {
      for (const std::size_t i : shown_) line.push_back(text_of(*row.cells, i));
    }
    line.resize(2 + shown_.size());
    table_.add(std::move(line), row.cells ? Emphasis::none : Emphasis::warning);
  }

  std::string text() const {
    return table_.empty() ? "" : table_.text(screen_of_standard_output());
  }

 private:
  static bool is_bound(const RowColumn& column) { return column.name.ends_with("_min"); }

  std::vector<std::string> heads(RowKind kind) {
    std::vector<std::string> heads{"=ARCHIVE", "?~ERROR"};
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      shown_.push_back(i);
      if (is_bound(columns_[i])) ++i;
    }
    // What names a row comes first: it begins each block.
    const auto names_row = [&](std::size_t i) {
      return i == 0 || columns_[i].name == "call" || columns_[i].name == "kernel";
    };
    std::stable_partition(shown_.begin(), shown_.end(), names_row);
    for (const std::size_t i : shown_) {
      std::string name(columns_[i].name);
      const bool is_sentence = name == "evidence" || name == "contradictions";
      std::string marks = i == 0 ? "=?" : "?";  // the first is the module
      if (columns_[i].type == CellType::number) marks += '#';
      if (is_sentence) marks += '~';
      if (is_bound(columns_[i])) {
        name = word_of_report(kind, without_bound(columns_[i].name));
      }
      std::ranges::replace(name, '_', ' ');
      heads.push_back(marks + support::in_capitals(name));
    }
    return heads;
  }

  std::string text_of(const std::vector<Cell>& row, std::size_t i) const {
    const auto* number = std::get_if<std::uint64_t>(&row[i]);
    if (number != nullptr && is_bound(columns_[i])) {
      const auto* most = std::get_if<std::uint64_t>(&row[i + 1]);
      return to_string(analysis::Count{*number, most ? std::optional(*most) : std::nullopt});
    }
    if (number != nullptr) return std::to_string(*number);
    const auto* text = std::get_if<std::string>(&row[i]);
    return text != nullptr ? *text : "";
  }

  std::span<const RowColumn> columns_;
  std::vector<std::size_t> shown_;  ///< of `columns_`
  Table table_;
};

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

  std::string line(const ArchiveRow& row) const {
    std::vector<Cell> cells{printable(row.archive), {}};
    if (row.cells) {
      cells.insert(cells.end(), row.cells->begin(), row.cells->end());
    } else {
      cells[1] = printable(row.cells.error().message);
    }
    cells.resize(names_.size());
    if (format_ == RowFormat::csv) return csv_line(cells);
    return json_line(names_, cells);
  }

 private:
  RowFormat format_;
  std::vector<std::string> names_;
};

/// The reason why there are no rows.
void note_if_empty(const std::vector<ArchiveRows>& found, RowKind kind, const Console& console) {
  const auto is_empty = [](const ArchiveRows& one) { return one && one->empty(); };
  if (!std::ranges::all_of(found, is_empty)) return;
  const auto row = std::ranges::find(row_kinds(), kind, &RowKindInfo::kind);
  console.note(fmt::format("no rows: {} no {}",
                           found.size() == 1 ? "the archive has" : "the archives have",
                           row->meaning.substr(std::string_view("a ").size())));
}

int run_table(const TableArguments& arguments, const Context& context) {
  TableArguments options = arguments;
  if (options.format == RowFormat::by_output) {
    options.format = standard_output_is_terminal() ? RowFormat::text : RowFormat::csv;
  }
  ArchiveProfiles profiles(options);
  std::vector<ArchiveRows> found(options.archives.size());
  for_each_index(found.size(), options.jobs, [&](std::size_t i) {
    found[i] = rows_of_archive(options.archives[i], options, profiles, context);
  });
  profiles.require_used();
  std::vector<ArchiveRow> rows = in_one_list(options.archives, found);
  if (!options.sort.empty()) sort_rows(rows, options.rows, options.sort);
  if (options.format == RowFormat::text) {
    RowTable table(options.rows);
    for (const ArchiveRow& row : rows) table.add(row);
    print(table.text());
  } else {
    const RowPrinter printer(options);
    printer.head();
    std::string text;
    for (const ArchiveRow& row : rows) text += printer.line(row);
    print(text);
  }
  int exit = 0;
  for (const ArchiveRows& one : found) {
    const int code = one ? 0 : context.console.fail(one.error());
    if (exit == 0) exit = code;
  }
  note_if_empty(found, options.rows, context.console);
  return exit;
}

/// Combines "mac_min" and "mac_max" as "mac*".
std::string names_of(RowKind kind) {
  std::string text;
  for (const RowColumn& column : columns_of(kind)) {
    if (column.name.ends_with("_max")) continue;
    if (!text.empty()) text += ", ";
    text += without_bound(column.name);
    if (column.name.ends_with("_min")) text += '*';
  }
  return text;
}

/// The names of the columns of every kind of row.
std::string row_columns_help() {
  std::string text =
      "Columns after archive and error (NAME*: NAME_min, NAME_max); see mlf-table(1):\n";
  for (const auto& [kind, name, meaning] : row_kinds()) {
    text += entry(fmt::format("--rows {}", name), names_of(kind), 20);
  }
  return text;
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
                  {{"text", RowFormat::text, "aligned, the default on a terminal"},
                   {"csv", RowFormat::csv, "with a line of names first, the default elsewhere"},
                   {"jsonl", RowFormat::jsonl, "a JSON object in each line"}},
                  {"FORMAT", "Output"}, "Form of the rows");
  add_json_flag(app, options.format, RowFormat::jsonl, "jsonl");
  add_option(app, "--sort", options.sort, {"COLUMN", "Output"},
             "Sort the rows of all archives, the largest number first");
  add_profile_option(app, options.profiles);
  add_compiler_options(app, options.compiler);
  add_jobs_option(app, options.jobs, "Archives to read");
  app.footer(row_columns_help());
}

}  // namespace

std::string row_columns_text() {
  std::string text;
  for (const auto& [kind, name, meaning] : row_kinds()) {
    text += fmt::format("Columns of --rows {}, after archive and error:\n", name);
    for (const RowColumn& column : columns_of(kind)) {
      std::string line = fmt::format("  {:<18}{}", column.name, column.meaning);
      line.erase(line.find_last_not_of(' ') + 1);
      text += line + "\n";
    }
  }
  return text;
}

Command table_command(CLI::App& parent) {
  return make_command(parent, "table",
                      "Print the numbers of reports as rows, for spreadsheets and databases",
                      declare_table_options, run_table);
}

}  // namespace mlf::program
