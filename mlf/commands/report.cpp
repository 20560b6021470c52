// mlf report: the costs of an archive's networks, in tables: a summary and one line for each call.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "archive/output_file.h"
#include "arguments.h"
#include "mlf/budget.h"
#include "mlf/report.h"
#include "report/constants.h"
#include "report_page.h"
#include "result_file.h"
#include "support/characters.h"
#include "support/digits.h"
#include "support/error.h"
#include "table.h"

namespace mlf::program {
namespace {

using analysis::Count;
using support::get_or_throw;

/// The data of a row: one call of a module, or a kernel of a module without calls.
struct Row {
  const ModuleReport* module;
  const KernelReport* kernel;
  const CallReport* call;  ///< null if the module has no calls
  /// The largest constant of the call; null if it reads none, or if there is no call.
  const report::ModuleConstant* weights;
};

/// A column: its name, and how to make its cell of a row.
struct Column {
  std::string_view name;
  std::string head;
  std::string_view meaning;
  std::function<std::string(const Row&)> text;
  /// Of columns of numbers, which are sorted by it and right-aligned.
  std::function<Count(const Row&)> number{};
  std::string_view option{};  ///< that gives the numbers; empty: the archive has them

  bool is_number() const { return number != nullptr; }
};

Count of_measure(const Row& row, CallMeasure measure) {
  return row.call != nullptr ? (*row.call)[measure] : number_of(*row.kernel, measure);
}

Count floats_of(const Row& row) {
  return row.kernel->cost ? row.kernel->cost->float_operations : Count::unknown();
}

Count divisions_of(const Row& row) {
  return row.kernel->cost ? row.kernel->cost->index_divisions : Count::unknown();
}

/// Extents without leading ones, which are batches.
std::string output_text(const Row& row) {
  if (row.call == nullptr) return "-";
  const graph::TensorType& type = row.call->output;
  if (!type.shape) return "?";
  const auto first = std::ranges::find_if(*type.shape, [](std::int64_t n) { return n != 1; });
  if (first == type.shape->end()) return "1";
  return fmt::format("{}", fmt::join(first, type.shape->end(), "x"));
}

std::string layer_text(const Row& row) {
  if (row.call == nullptr || row.call->layer.empty()) return "-";
  return std::string(first_layer(row.call->layer));
}

std::string dtype_text(const Row& row) {
  const bool is_known = row.call != nullptr && !row.call->output.dtype.is_void();
  return is_known ? tir::to_string(row.call->output.dtype) : "?";
}

std::string percent_text(const Row& row) {
  const Count& all = row.module->mac;
  const Count mac = number_of(*row.kernel, CallMeasure::mac);
  if (!all.is_exact() || !mac.is_exact() || all.min == 0) return "-";
  return percent(mac.min, all.min);
}

std::optional<Ratio> share(const Row& row) {
  if (row.call == nullptr) return std::nullopt;
  return share_of(*row.module, std::array{row.call->call});
}

std::optional<Ratio> per_mac(const Row& row) {
  if (row.call == nullptr) return std::nullopt;
  return mlf::per_mac(*row.module, *row.call);
}

std::optional<Ratio> bytes_per_mac(const Row& row) {
  return row.kernel->cost ? mlf::bytes_per_mac(*row.kernel->cost) : std::nullopt;
}

std::string in_percent(const Ratio& part) {
  return to_string(part * 100);
}

/// A column of quotients; calls are sorted by their upper bounds.
Column ratio_column(std::string_view name, std::string head, std::string_view meaning,
                    std::optional<Ratio> (*ratio)(const Row&), std::string (*text)(const Ratio&),
                    std::string_view option = "--profile") {
  constexpr double kFraction = 1000000;
  const auto cell = [=](const Row& row) {
    const auto value = ratio(row);
    return value ? text(*value) : "-";
  };
  const auto number = [=](const Row& row) {
    const auto value = ratio(row);
    if (!value) return Count();
    return value->max ? Count(static_cast<std::uint64_t>(*value->max * kFraction))
                      : Count::unknown();
  };
  return {name, std::move(head), meaning, cell, number, option};
}

/// "int8 16x3x3x3"
std::string weights_text(const Row& row) {
  if (row.weights == nullptr) return "-";
  const report::ConstantSummary& summary = row.weights->summary;
  if (summary.dtype.is_void()) return "?";
  const std::string extents = summary.shape      ? fmt::format("{}", fmt::join(*summary.shape, "x"))
                              : summary.elements ? std::to_string(*summary.elements)
                                                 : "?";
  return fmt::format("{} {}", tir::to_string(summary.dtype), extents);
}

Count zeros_of(const Row& row) {
  if (row.weights == nullptr) return {};
  const auto& values = row.weights->summary.values;
  return values ? Count(values->zeros) : Count::unknown();
}

std::string range_text(const Row& row) {
  if (row.weights == nullptr) return "-";
  const report::ConstantSummary& summary = row.weights->summary;
  if (!summary.values) return "?";
  return fmt::format("{}..{}", report::value_text(summary.values->least, summary.dtype),
                     report::value_text(summary.values->greatest, summary.dtype));
}

std::string number_text(const Row& row) {
  return row.call != nullptr ? std::to_string(index(row.call->call)) : "-";
}

/// The compiled function of a kernel; null if there is none.
const CompiledFunction* compiled(const Row& row) {
  return row.module->code ? row.module->code->find(row.kernel->symbol) : nullptr;
}

Count bytes_of_code(const Row& row) {
  const CompiledFunction* function = compiled(row);
  return function != nullptr ? Count(function->bytes) : Count::unknown();
}

Count frame_of(const Row& row) {
  const CompiledFunction* function = compiled(row);
  return function != nullptr ? analysis::to_count(function->frame) : Count::unknown();
}

/// A column of numbers; the text of a cell is that of its number.
Column number_column(std::string_view name, std::string head, std::string_view meaning,
                     const std::function<Count(const Row&)>& number, std::string_view option = {}) {
  const auto text = [=](const Row& row) { return to_string(number(row)); };
  return {name, std::move(head), meaning, text, number, option};
}

std::vector<Column> all_columns() {
  std::vector<Column> columns{
      {"call", "#", "position among the calls", number_text},
      {"kernel", "KERNEL", "short name of the function",
       [](const Row& row) { return row.kernel->short_name; }},
      {"layer", "LAYER", "name in the model (Relay)", layer_text},
      {"symbol", "SYMBOL", "name of the function in C",
       [](const Row& row) { return row.kernel->symbol; }},
      {"out", "OUT", "shape of the first output", output_text},
      {"dtype", "DTYPE", "dtype of the first output", dtype_text},
  };
  for (const CallMeasureInfo& one : call_measures()) {
    columns.push_back(number_column(
        one.column, support::in_capitals(one.column), one.words,
        [measure = one.measure](const Row& row) { return of_measure(row, measure); },
        is_of_profile(one.measure) ? "--profile" : ""));
  }
  const std::vector<Column> others{
      {"percent", "%", "% of all MACs", percent_text,
       [](const Row& row) { return of_measure(row, CallMeasure::mac); }},
      ratio_column("share", "SHARE", "% of instr, cycles or ns", share, in_percent),
      ratio_column("permac", "PER MAC", "instr, cycles or ns a MAC", per_mac, to_string),
      ratio_column("bytesmac", "BYTES/MAC", "bytes accessed a MAC", bytes_per_mac,
                   to_string, ""),
      number_column("floats", "FLOATS", "floating-point operations", floats_of),
      number_column("divisions", "IDX DIV", "divisions of indices alone", divisions_of),
      number_column("code", "CODE", "bytes of code, with --cc", bytes_of_code, "--cc"),
      number_column("frame", "FRAME", "bytes of frame, with --cc", frame_of, "--cc"),
      {"target", "TARGET", "target kind, or compiler",
       [](const Row& row) { return row.kernel->target; }},
      {"weights", "WEIGHTS", "type of largest constant", weights_text},
      {"zeros", "ZEROS", "zeros of that constant",
       [](const Row& row) { return row.weights == nullptr ? "-" : to_string(zeros_of(row)); },
       zeros_of},
      {"range", "RANGE", "its least and largest element", range_text},
      {"c", "C", "file and lines of C", [](const Row& row) { return lines_text(row.kernel->c); }},
      {"relay", "RELAY", "file and line of Relay",
       [](const Row& row) {
         return lines_text(row.call != nullptr ? row.call->relay : std::nullopt);
       }},
      {"tir", "TIR", "file and lines of TIR",
       [](const Row& row) { return lines_text(row.kernel->tir); }},
  };
  columns.insert(columns.end(), others.begin(), others.end());
  return columns;
}

const std::vector<Column> kColumns = all_columns();

/// `name` is one of `column_names`.
const Column* column_named(std::string_view name) {
  return &*std::ranges::find(kColumns, name, &Column::name);
}

std::vector<const Column*> columns_named(std::initializer_list<std::string_view> names) {
  std::vector<const Column*> columns;
  for (const std::string_view name : names) columns.push_back(column_named(name));
  return columns;
}

/// Which parts of a report to show, and how.
struct ReportView {
  std::vector<const Column*> columns;  ///< empty: the default columns
  const Column* sort = nullptr;        ///< null: in the order of execution
  std::size_t top = 0;                 ///< 0: all
  Screen screen{};
};

std::vector<const Column*> shown_columns(const ReportView& view, const ModuleReport& module) {
  if (!view.columns.empty()) return view.columns;
  if (module.calls.empty()) {
    return module.code ? columns_named({"kernel", "mac", "loaded", "stored", "code", "frame"})
                       : columns_named({"kernel", "mac", "loaded", "stored"});
  }
  if (module.times) {
    const std::string_view counted =
        call_measures()[static_cast<std::size_t>(counted_measure(module))].column;
    return columns_named({"call", "kernel", "out", "mac", "percent", counted, "share", "permac"});
  }
  if (module.code) {
    return columns_named({"call", "kernel", "out", "mac", "percent", "constants", "scratch", "live",
                          "code", "frame"});
  }
  return columns_named({"call", "kernel", "out", "mac", "percent", "constants", "scratch", "live"});
}

/// The rows of a module, in the number and order of the view.
std::vector<Row> rows_of(const ModuleReport& module,
                         const std::vector<report::ModuleConstant>& constants,
                         const ReportView& view) {
  std::vector<Row> rows;
  const report::LargestConstants largest(constants, module);
  for (const CallReport& call : module.calls) {
    rows.push_back({&module, &module.kernels[call.kernel], &call, largest.of(call)});
  }
  if (module.calls.empty()) {
    for (const KernelReport& kernel : module.kernels) {
      rows.push_back({&module, &kernel, nullptr, nullptr});
    }
  }
  if (view.sort) {
    const Column& column = *view.sort;
    std::ranges::stable_sort(rows, [&](const Row& a, const Row& b) {
      if (!column.is_number()) return column.text(a) < column.text(b);
      // An unknown number may be the largest of all. No number comes last.
      const auto rank = [&](const Row& row) -> std::optional<std::uint64_t> {
        if (column.text(row) == "-") return std::nullopt;
        return column.number(row).max.value_or(UINT64_MAX);
      };
      return rank(a) > rank(b);
    });
  }
  if (view.top != 0 && rows.size() > view.top) rows.resize(view.top);
  return rows;
}

/// Another call may need more than one whose memory is not known as a whole.
bool is_peak(const Row& row) {
  return row.call != nullptr && row.module->peak.call == row.call->call &&
         row.module->peak.bytes.is_known();
}

Table calls_table(const ModuleReport& module, report::ConstantReader& reader,
                  const ReportView& view) {
  const std::vector<const Column*> columns = shown_columns(view, module);
  const std::vector<report::ModuleConstant> constants = reader.constants_of(module);
  const std::vector<Row> rows = rows_of(module, constants, view);
  std::vector<std::vector<std::string>> cells;
  for (const Row& row : rows) {
    std::vector<std::string>& line = cells.emplace_back();
    for (const Column* column : columns) line.push_back(column->text(row));
  }
  std::vector<std::string> heads;
  for (const Column* column : columns) {
    heads.push_back((column->is_number() ? "#" : "") + column->head);
  }
  heads.emplace_back();
  Table table(std::move(heads));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool is_fullest = is_peak(rows[i]);
    cells[i].push_back(is_fullest ? "<- peak" : "");
    table.add(std::move(cells[i]), is_fullest ? Emphasis::bold : Emphasis::none);
  }
  return table;
}

/// A line of the summary, in which text begins at column 7.
std::string for_screen(const std::string& line, const Screen& screen) {
  return folded(with_digits(line, screen), screen, 7) + "\n";
}

/// "RAM    pools 104192   I/O 502": the numbers of one group, also unknown ones.
std::string numbers_line(const ModuleReport& module, std::string_view head, std::string_view group,
                         const Screen& screen) {
  std::string line = fmt::format("{:<6}", head);
  for (const ModuleMeasureInfo& one : module_measures()) {
    if (one.group() != group || !one.is_in_documents()) continue;
    line += fmt::format(" {} {}  ", one.label, to_string(one.value(module)));
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return for_screen(line, screen);
}

std::string peak_line(const ModuleReport& module, const Screen& screen) {
  const analysis::RamPeak& peak = module.peak;
  if (!peak.call) return {};
  const CallReport& call = module.calls[index(*peak.call)];
  const std::string parts = parts_of_peak(module);
  return for_screen(
      fmt::format("PEAK   {}call {}, {}: {} in use{}, {} allocated, lower bound {}",
                  peak.bytes.is_known() ? "" : "not known; of what is known, the most is in ",
                  index(*peak.call), printable(module.kernels[call.kernel].short_name),
                  to_string(peak.bytes), parts.empty() ? "" : " (" + parts + ")",
                  to_string(peak.used), to_string(module.lower_bound)),
      screen);
}

/// "TIME   instructions 21930000   ns 87720000..350880000   emulated: …"
std::string time_line(const ModuleReport& module, const Screen& screen) {
  if (!module.times) return {};
  std::string line = "TIME  ";
  for (const ModuleMeasureInfo& one : module_measures()) {
    const Count count = one.value(module);
    if (one.group() != "time" || !(count.is_known() || count.min > 0)) continue;
    const std::uint64_t largest = count.max.value_or(count.min);
    line += one.unit == "nanoseconds"
                ? fmt::format(" {}  ", time_text(count.min, count.max, largest))
                : fmt::format(" {} {}  ", one.label, to_string(count));
  }
  // Digits of the origin are those of names and versions.
  return folded(with_digits(line, screen) + " " + printable(module.times->origin), screen, 7) +
         "\n";
}

std::string summary(const ModuleReport& module, const Screen& screen) {
  std::string text;
  if (module.no_network) {
    text += for_screen(fmt::format("       {}", to_string(*module.no_network)), screen);
  } else {
    text += numbers_line(module, "RAM", "ram", screen);
    for (const DeviceReport& one : module.devices) {
      std::string line = fmt::format("DEVICE {}", one.device);
      for (const ModuleMeasureInfo& measure : module_measures()) {
        const auto number = number_of(one, measure);
        if (number) line += fmt::format("   {} {}", measure.label, to_string(*number));
      }
      text += for_screen(line, screen);
    }
    text += numbers_line(module, "FLASH", "flash", screen);
    text += for_screen(fmt::format("MAC    {}", to_string(module.mac)), screen);
    text += peak_line(module, screen);
    text += time_line(module, screen);
  }
  return text;
}

/// Functions that are not kernels, such as main, with their stack frames.
std::string other_functions_text(const ModuleReport& module, const Screen& screen) {
  if (!module.code || module.objects) return {};
  Table table({"OTHER FUNCTION", "#CODE", "#FRAME"});
  for (const auto& [symbol, function] : module.code->functions) {
    const auto kernel = std::ranges::find(module.kernels, symbol, &KernelReport::symbol);
    if (kernel != module.kernels.end()) continue;
    table.add(
        {symbol, std::to_string(function.bytes), to_string(analysis::to_count(function.frame))});
  }
  return table.empty() ? "" : "\n" + table.text(screen);
}

/// The facts of object files alone: sections, and functions in the order of main's calls, then by
/// name.
std::string objects_text(const ModuleReport& module, const Screen& screen) {
  if (!module.objects) return {};
  const CompiledCode& code = module.objects->code;
  std::string text = "\n" +
                     for_screen(fmt::format("OBJECTS  text {}   rodata {}   data {}   bss {}",
                                            code.text, code.rodata, code.data, code.bss),
                                screen) +
                     "\n";
  Table table({"CALL", "FUNCTION", "#CODE", "?#FRAME"});
  const bool has_frames = std::ranges::any_of(
      code.functions, [](const auto& function) { return function.second.frame.has_value(); });
  const std::string no_frame = has_frames ? "?" : "";
  const auto add = [&](std::string call, const std::string& symbol) {
    const CompiledFunction* function = code.find(symbol);
    const bool has_frame = function != nullptr && function->frame;
    table.add({std::move(call), symbol, function != nullptr ? std::to_string(function->bytes) : "?",
               has_frame ? std::to_string(*function->frame) : no_frame});
  };
  const std::vector<std::string>& calls = module.objects->main_calls;
  for (std::size_t i = 0; i < calls.size(); ++i) add(std::to_string(i), calls[i]);
  for (const auto& [symbol, function] : code.functions) {
    if (std::ranges::find(calls, symbol) == calls.end()) add("-", symbol);
  }
  return table.empty() ? text : text + table.text(screen);
}

/// The findings of one code.
struct FindingsOfCode {
  const CostFindingInfo* code;
  std::vector<const CostFinding*> findings;  ///< in the order of the report
  /// The part that their kernels have of what all calls take, each once.
  std::optional<Ratio> share{};
};

std::optional<Ratio> share_of_kernels(const ModuleReport& module,
                                      const std::vector<const CostFinding*>& findings) {
  std::vector<graph::CallId> calls;
  for (const CallReport& call : module.calls) {
    const std::string& kernel = module.kernels[call.kernel].symbol;
    const auto is_of_kernel = [&](const CostFinding* one) {
      return one->share && one->where == kernel;
    };
    if (std::ranges::any_of(findings, is_of_kernel)) calls.push_back(call.call);
  }
  return calls.empty() ? std::nullopt : share_of(module, calls);
}

/// In the order of findings.def. With a profile, codes that cost time come first, by their shares.
std::vector<FindingsOfCode> findings_by_code(const ModuleReport& module) {
  std::vector<FindingsOfCode> codes;
  for (const CostFindingInfo& code : all_cost_findings()) {
    FindingsOfCode of{.code = &code, .findings = {}};
    for (const CostFinding& finding : module.findings) {
      if (finding.code == code.finding) of.findings.push_back(&finding);
    }
    if (of.findings.empty()) continue;
    of.share = share_of_kernels(module, of.findings);
    codes.push_back(std::move(of));
  }
  std::ranges::stable_sort(codes, std::greater(), [](const FindingsOfCode& of) {
    return of.share ? of.share->max.value_or(1) : -1;
  });
  return codes;
}

/// Kernels have their short names.
std::string place_of(const ModuleReport& module, const CostFinding& finding) {
  const auto kernel = std::ranges::find_if(module.kernels, [&](const KernelReport& one) {
    return finding.where.starts_with(one.symbol) &&
           (finding.where.size() == one.symbol.size() || finding.where[one.symbol.size()] == '.');
  });
  if (kernel == module.kernels.end()) return finding.where;
  return kernel->short_name + finding.where.substr(kernel->symbol.size());
}

/// One line for each code: the number of findings, their bytes, the share of their kernels, and the
/// largest finding. Workspaces of two kernels do not exist at the same time: their bytes are those
/// of the largest.
Table findings_table(const ModuleReport& module) {
  Table table({"FINDING", "#PLACES", "#BYTES", "?#SHARE OF KERNELS", "#LARGEST", "~LARGEST PLACE"});
  for (const FindingsOfCode& of : findings_by_code(module)) {
    const auto most_of = [](const CostFinding* finding) {
      return finding->bytes.max.value_or(finding->bytes.min);
    };
    Count bytes;
    const CostFinding* largest = of.findings.front();
    for (const CostFinding* finding : of.findings) {
      bytes += finding->bytes;
      if (most_of(finding) > most_of(largest)) largest = finding;
    }
    const bool is_largest = of.code->finding == CostFindingCode::padding_scratch &&
                            bytes.is_exact() && of.findings.size() > 1;
    if (is_largest) bytes = largest->bytes;
    table.add({std::string(of.code->code), std::to_string(of.findings.size()),
               (is_largest ? "max " : "") + bytes_text(bytes),
               of.share ? in_percent(*of.share) : "", bytes_text(largest->bytes),
               place_of(module, *largest) + ": " + largest->evidence});
  }
  return table;
}

std::string findings_text(const ModuleReport& module, const Screen& screen) {
  const Table table = findings_table(module);
  if (table.empty()) return "";
  return "\n" + table.text(screen) +
         (module.saved_by_optimize > 0 ? "mlf optimize --dry-run shows what can be smaller.\n"
                                       : "");
}

std::string contradictions_text(const ModuleReport& module, const Screen& screen) {
  std::vector<std::string> sentences;
  for (const Contradiction& one : module.contradictions) {
    sentences.push_back(fmt::format("{} [{}]", one.detail, one.code));
  }
  return titled_lines(kContradicts, sentences, screen);
}

/// Why numbers are not exact. The summary has the reason for no network.
std::vector<std::string> reasons_of(const ModuleReport& module) {
  std::vector<std::string> reasons = module.uncertain;
  if (module.no_network) std::erase(reasons, to_string(*module.no_network));
  return reasons;
}

std::vector<std::string> column_names() {
  std::vector<std::string> names;
  for (const Column& column : kColumns) names.emplace_back(column.name);
  return names;
}

/// Names and meanings for --help.
std::string columns_help() {
  constexpr std::size_t kNames = 11;
  constexpr std::size_t kHalf = 40;  // half of a line: two short entries share one
  std::string text;
  std::size_t used = kHalf;
  for (const Column& column : kColumns) {
    const std::string entry = fmt::format("  {:<{}}{}", column.name, kNames, column.meaning);
    const bool is_second = used < kHalf && entry.size() <= kHalf;
    text += is_second ? std::string(kHalf - used, ' ') + entry : "\n" + entry;
    used = is_second ? kHalf : entry.size();
  }
  return text;
}

Table totals_table(const Report& report) {
  Table table({"TOTAL", "=MODULE", "#BYTES", "?~WHY NOT EXACT"});
  for (const Total& one : totals(report)) {
    table.add({std::string(to_string(one.resource)), printable(one.module), to_string(one.needed),
               fmt::format("{}", fmt::join(one.missing, "; "))});
  }
  return table;
}

std::string to_tables(const Report& report, const ReportView& view) {
  std::string text;
  report::ConstantReader constants;
  for (const ModuleReport& module : report.modules) {
    if (!text.empty()) text += "\n";
    if (report.modules.size() > 1) text += "MODULE " + printable(module.name) + "\n";
    const Screen& screen = view.screen;
    const Table calls = calls_table(module, constants, view);
    text += summary(module, screen) + (calls.empty() ? "" : "\n" + calls.text(screen)) +
            other_functions_text(module, screen) + objects_text(module, screen) +
            findings_text(module, screen) + contradictions_text(module, screen) +
            titled_lines(kWhyNotExact, reasons_of(module), screen);
  }
  const Table totals = totals_table(report);
  return totals.empty() ? text : text + "\n" + totals.text(view.screen);
}

/// A comment of a pull request: totals, and of each module what needs the most memory, the calls,
/// and the rest in parts that a reader opens.
std::string to_markdown(const Report& report, const ReportView& view) {
  std::string text = totals_table(report).markdown();
  report::ConstantReader constants;
  const Screen& screen = view.screen;
  for (const ModuleReport& module : report.modules) {
    if (report.modules.size() > 1) text += "\n**" + markdown_text(printable(module.name)) + "**\n";
    // A block of code: no line in it begins with a name.
    text += "\n```text\n" + summary(module, screen) + "```\n";
    const Table calls = calls_table(module, constants, view);
    if (!calls.empty()) text += "\n" + calls.markdown();
    if (!module.contradictions.empty()) {
      text += "\n" + markdown_text(contradictions_text(module, screen));
    }
    text +=
        folded_table(fmt::format("Findings: {}", module.findings.size()), findings_table(module));
    Table reasons({"WHY NUMBERS ARE NOT EXACT"});
    for (const std::string& why : reasons_of(module)) reasons.add({printable(why)});
    text += folded_table(kWhyNotExact, reasons);
  }
  return text;
}

// --- The command --------------------------------------------------------------------------------

enum class ReportFormat { text, json, csv, markdown };

struct ReportArguments {
  std::string archive;
  std::vector<std::string> tir_files;
  std::vector<std::string> columns;
  std::string sort;
  std::size_t top = 0;
  ReportFormat format = ReportFormat::text;
  std::string html;
  std::optional<CallMeasure> node_data{};
  std::vector<std::string> profiles;
  CompilerArguments compiler{};
};

/// The rows of `mlf table --rows call`, without archive and error.
std::string calls_as_csv(const Report& report) {
  std::vector<Cell> names;
  for (const RowColumn& column : columns_of(RowKind::call))
    names.emplace_back(std::string(column.name));
  std::string text = csv_line(names);
  for (const auto& row : rows_of(report, RowKind::call)) text += csv_line(row);
  return text;
}

void print_report(const Deployment& deployment, const Report& report,
                  const ReportArguments& options, const Context& context) {
  std::string text;
  const auto sink = [&](std::string_view bytes) { text += bytes; };
  if (options.format == ReportFormat::json) {
    DocumentForm form = form_of(context, {&deployment});
    form.layout = JsonLayout::compact;
    get_or_throw(write_report_json(report, form, sink));
  } else if (options.format == ReportFormat::csv) {
    text = calls_as_csv(report);
  } else if (options.node_data) {
    get_or_throw(write_node_data(report, *options.node_data, JsonLayout::compact, sink));
  } else {
    const bool is_markdown = options.format == ReportFormat::markdown;
    ReportView view{
        .columns = {},
        .top = options.top,
        .screen = is_markdown ? Screen{.digits = Digits::grouped} : screen_of_standard_output()};
    for (const std::string& name : options.columns) view.columns.push_back(column_named(name));
    if (!options.sort.empty()) view.sort = column_named(options.sort);
    text = is_markdown ? to_markdown(report, view) : to_tables(report, view);
  }
  print(text);
}

/// Warns of columns that no call has a number in.
void warn_of_unknown_columns(const Report& report, const ReportArguments& options,
                             const Console& console) {
  std::vector<std::string> names = options.columns;
  if (!options.sort.empty()) names.push_back(options.sort);
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  for (const std::string& name : names) {
    const std::string_view option = column_named(name)->option;
    const auto has_it = [&](const ModuleReport& module) {
      return option == "--cc" ? module.code.has_value() : module.times.has_value();
    };
    if (option.empty() || std::ranges::any_of(report.modules, has_it)) continue;
    console.warn(fmt::format("no call has a number in the column '{}': it needs {}", name, option));
  }
}

/// Errors: `usage` for options that the form of the result would ignore.
void check_columns(const ReportArguments& options) {
  const bool has_table =
      options.html.empty() && !options.node_data &&
      (options.format == ReportFormat::text || options.format == ReportFormat::markdown);
  if (has_table || (options.columns.empty() && options.sort.empty() && options.top == 0)) return;
  throw support::Error(ErrorKind::usage,
                       "--columns, --sort and --top are for --format text and markdown; mlf table "
                       "--rows call prints all columns");
}

/// The column of constants was called `params`.
std::string present_name(const std::string& name) {
  return name == "params" ? "constants" : name;
}

CLI::Option* add_node_data_option(CLI::App& app, ReportArguments& options) {
  EnumNames<std::optional<CallMeasure>> names;
  for (const CallMeasureInfo& one : call_measures()) {
    names.push_back({std::string(one.column), one.measure, ""});
  }
  return add_enum_option(app, "--node-data", options.node_data, names, {"NUMBER", "Output"},
                         "Print this column for mlf graph --format model-explorer")
      ->transform(present_name);
}

void declare_report_options(CLI::App& app, ReportArguments& options) {
  app.add_option("ARCHIVE", options.archive, kArchiveHelp)->required();
  const std::vector<std::string> columns = column_names();
  add_option(app, "--columns", options.columns, {"NAMES", "Table of calls"},
             "Columns of the table, in this order, with commas between")
      ->delimiter(',')
      ->check(one_of(columns))
      ->transform(present_name);
  add_option(app, "--sort", options.sort, {"NAME", "Table of calls"},
             "Sort the calls by this column, the largest number first")
      ->check(one_of(columns))
      ->transform(present_name);
  add_option(app, "--top", options.top, {"N", "Table of calls"}, "Show at most N calls of a module")
      ->check(whole_number(1, UINT64_MAX));
  add_tir_option(app, options.tir_files);
  add_profile_option(app, options.profiles);
  add_compiler_options(app, options.compiler);
  auto* format = add_enum_option(
      app, "--format", options.format,
      {{"text", ReportFormat::text, "tables"},
       {"json", ReportFormat::json, "schemas/report.md"},
       {"csv", ReportFormat::csv, "the rows of mlf table --rows call, without archive and error"},
       {"markdown", ReportFormat::markdown, "for pull requests"}},
      {"FORMAT", "Output"}, "Form of the result");
  add_json_flag(app, options.format, ReportFormat::json);
  auto* csv = app.add_flag_callback("--csv", [&] { options.format = ReportFormat::csv; })
                  ->group("")
                  ->excludes(format)
                  ->excludes(app.get_option("--json"));
  auto* html = add_result_option(app, "--html", options.html, {"FILE", "Output"},
                                 "Write one HTML page with everything; - is standard output");
  auto* node_data = add_node_data_option(app, options)->excludes(html);
  for (CLI::Option* option : {format, csv, app.get_option("--json")}) {
    option->excludes(html)->excludes(node_data);
  }
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
  check_columns(options);
  const auto [deployment, report] =
      read_report(options.archive, options.compiler, options.profiles, context, options.tir_files);
  warn_of_unknown_columns(report, options, context.console);
  if (options.html.empty()) {
    print_report(deployment, report, options, context);
  } else {
    write_report_page(deployment, report, options.archive, options.html, context.words);
  }
  return 0;
}

}  // namespace

std::string bytes_text(const Count& bytes) {
  return bytes.is_known() || bytes.min > 0 ? to_string(bytes) : "";
}

Command report_command(CLI::App& parent) {
  return make_command(
      parent, "report",
      "Show what a network costs and why: RAM, flash and arithmetic of each module, the peak of "
      "memory, findings, calls. A number that is not exact is a range or ?",
      declare_report_options, run_report);
}

}  // namespace mlf::program
