// mlf diff: what changed between two builds.
#include <fmt/core.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "arguments.h"
#include "commands/command.h"
#include "compiler_option.h"
#include "count_text.h"
#include "mlf/diff.h"
#include "mlf/version.h"
#include "output.h"
#include "table.h"

namespace mlf::program {
namespace {

using analysis::Count;
using Json = nlohmann::ordered_json;

enum class DiffFormat { text, json, markdown };

struct DiffArguments {
  std::string before;
  std::string after;
  DiffFormat format = DiffFormat::text;
  CompilerArguments compiler{};
};

/// One line of a table: what changed, in which module or kernel, and both numbers.
struct DiffLine {
  std::string where;
  std::string what;
  std::string before;
  std::string after;
  std::string delta;
  bool is_more = false;  ///< of a number: certainly larger than before
};

/// "+16", "-3.1 %": nothing where a number is not exact.
std::string delta_of(const Count& before, const Count& after) {
  if (!before.is_exact() || !after.is_exact()) return "?";
  const bool grows = after.min >= before.min;
  const std::uint64_t amount = grows ? after.min - before.min : before.min - after.min;
  std::string text = fmt::format("{}{}", grows ? "+" : "-", amount);
  if (before.min == 0) return text;
  return text + fmt::format(" ({}{:.1f} %)", grows ? "+" : "-",
                            100.0 * static_cast<double>(amount) / static_cast<double>(before.min));
}

std::vector<DiffLine> lines_of(const ModuleDifference& module) {
  std::vector<DiffLine> lines;
  const std::string name = "module " + (module.name.empty() ? "-" : module.name);
  const auto add_numbers = [&](const std::string& where, const std::vector<NumberChange>& numbers) {
    for (const NumberChange& number : numbers) {
      lines.push_back({where, number.what, spelled(number.before), spelled(number.after),
                       delta_of(number.before, number.after),
                       number.before.max && *number.before.max < number.after.min});
    }
  };
  if (module.is_added) lines.push_back({name, "module added", "", "", "", false});
  if (module.is_removed) lines.push_back({name, "module removed", "", "", "", false});
  add_numbers(name, module.numbers);
  for (const KernelDifference& kernel : module.kernels) {
    lines.push_back(
        {kernel.name, "kernel " + std::string(to_string(kernel.change)), "", "", "", false});
    add_numbers(kernel.name, kernel.numbers);
  }
  for (const std::string& edit : module.graph) lines.push_back({name, edit, "", "", "", false});
  return lines;
}

/// What takes more than before is red.
std::string as_text(const std::vector<ModuleDifference>& differences, Colours colours) {
  Table table({"WHAT", "BEFORE", "AFTER", "DELTA", "WHERE"});
  table.align_right({1, 2, 3});
  for (const ModuleDifference& module : differences) {
    for (const DiffLine& line : lines_of(module)) {
      table.add({line.what, line.before, line.after, line.delta, line.where},
                line.is_more ? Emphasis::warning : Emphasis::none);
    }
  }
  return table.empty() ? "" : table.text(colours);
}

/// A cell of a table in Markdown, where a bar ends the cell and marks are not for names.
std::string markdown_cell(const std::string& text) {
  std::string escaped;
  for (const char c : printable(text)) {
    if (std::string_view("|\\`*_<>[]&#").find(c) != std::string_view::npos) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string as_markdown(const std::vector<ModuleDifference>& differences) {
  if (differences.empty()) return "No differences.\n";
  std::string text = "| where | what | before | after | delta |\n|---|---|--:|--:|--:|\n";
  for (const ModuleDifference& module : differences) {
    for (const DiffLine& line : lines_of(module)) {
      text += fmt::format("| {} | {} | {} | {} | {} |\n", markdown_cell(line.where),
                          markdown_cell(line.what), line.before, line.after, line.delta);
    }
  }
  return text;
}

Json numbers_json(const std::vector<NumberChange>& numbers) {
  Json list = Json::array();
  for (const NumberChange& number : numbers) {
    list.push_back({{"what", number.what},
                    {"before", count_json(number.before)},
                    {"after", count_json(number.after)}});
  }
  return list;
}

Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

std::string as_json(const std::vector<ModuleDifference>& differences) {
  Json modules = Json::array();
  for (const ModuleDifference& module : differences) {
    Json kernels = Json::array();
    for (const KernelDifference& kernel : module.kernels) {
      kernels.push_back({{"change", to_string(kernel.change)},
                         {"before", text_or_null(kernel.before)},
                         {"after", text_or_null(kernel.after)},
                         {"numbers", numbers_json(kernel.numbers)}});
    }
    modules.push_back({{"name", module.name},
                       {"change", module.is_added     ? "added"
                                  : module.is_removed ? "removed"
                                                      : "changed"},
                       {"numbers", numbers_json(module.numbers)},
                       {"kernels", kernels},
                       {"graph", module.graph}});
  }
  const Json document{{"format", "mlf-diff"},
                      {"version", 1},
                      {"generator", "mlf " + std::string(version())},
                      {"modules", modules}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string to_text(const std::vector<ModuleDifference>& differences, DiffFormat format) {
  switch (format) {
    case DiffFormat::text:
      return as_text(differences, colours_of_standard_output());
    case DiffFormat::json:
      return as_json(differences);
    case DiffFormat::markdown:
      break;
  }
  return as_markdown(differences);
}

int run_diff(const DiffArguments& options, const Context& context) {
  const ReportOptions compile = report_options(options.compiler);
  const auto before = read_report_argument(options.before, context.limits, compile);
  if (!before) return context.console.fail(before.error());
  const auto after = read_report_argument(options.after, context.limits, compile);
  if (!after) return context.console.fail(after.error());
  const std::vector<ModuleDifference> differences = diff(*before, *after);
  const auto printed = print(to_text(differences, options.format));
  if (!printed) return context.console.fail(printed.error());
  return differences.empty() ? 0 : exit_code(ErrorKind::check_failed);
}

}  // namespace

Command diff_command(CLI::App& parent) {
  CLI::App* app = parent.add_subcommand(
      "diff",
      "Show what changed between two builds, whatever kernels are called: memory, arithmetic, "
      "kernels, the network; 1 if anything did");
  const auto options = std::make_shared<DiffArguments>();
  app->add_option("BEFORE", options->before, "An archive")->required();
  app->add_option("AFTER", options->after, "An archive")->required();
  add_compiler_options(*app, options->compiler);
  add_enum_option(
      *app, "--format", options->format,
      {{"text", DiffFormat::text}, {"json", DiffFormat::json}, {"markdown", DiffFormat::markdown}},
      "text: a table; json (schemas/diff.schema.json); markdown: for pull requests");
  return {app, [options](const Context& context) { return run_diff(*options, context); }};
}

}  // namespace mlf::program
