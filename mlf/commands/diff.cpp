// mlf diff: what changed between two builds.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "arguments.h"
#include "commands/command.h"
#include "compiler_option.h"
#include "mlf/diff.h"
#include "mlf/file.h"
#include "mlf/page.h"
#include "output.h"
#include "report_page.h"
#include "table.h"

namespace mlf::program {
namespace {

enum class DiffFormat { text, json, markdown };

struct DiffArguments {
  std::string before;
  std::string after;
  DiffFormat format = DiffFormat::text;
  std::string html;
  CompilerArguments compiler{};
};

/// One of the two builds.
struct Build {
  Report report;
  PageData page{};  ///< where a page is written
};

/// The folders that both have say nothing.
void leave_out_common_folders(std::string& before, std::string& after) {
  const std::filesystem::path old_path(before);
  const std::filesystem::path new_path(after);
  auto [a, b] = std::ranges::mismatch(old_path, new_path);
  if (a == old_path.end() || b == new_path.end()) return;
  const auto rest = [](auto first, auto last) {
    std::filesystem::path path;
    for (; first != last; ++first) path /= *first;
    return path.string();
  };
  before = rest(a, old_path.end());
  after = rest(b, new_path.end());
}

Result<void> write_diff_page_file(Build& before, Build& after,
                                  const std::vector<ModuleDifference>& differences,
                                  const std::string& file) {
  leave_out_common_folders(before.page.title, after.page.title);
  return add_changed_pictures(before.report, differences, &KernelDifference::before, before.page)
      .and_then([&] {
        return add_changed_pictures(after.report, differences, &KernelDifference::after,
                                    after.page);
      })
      .and_then([&] {
        return write_page_file(file, [&](const tir::Sink& sink) {
          return write_diff_page({before.report, before.page}, {after.report, after.page},
                                 differences, sink);
        });
      });
}

Result<Build> read_build(const std::string& path, const DiffArguments& options,
                         const Context& context) {
  return Deployment::open(path, context.limits.deployment())
      .and_then([&](const Deployment& deployment) -> Result<Build> {
        warn_if_incomplete(deployment, context.console);
        auto report = report_of(deployment, report_options(options.compiler));
        if (!report) return tl::make_unexpected(report.error());
        Build build{.report = *std::move(report)};
        if (options.html.empty()) return build;
        return page_data(deployment, build.report).map([&](PageData data) {
          data.title = title_of(path);
          build.page = std::move(data);
          return std::move(build);
        });
      });
}

/// One line of a table: what changed, in which module or kernel, and both numbers.
struct DiffLine {
  std::string where;
  std::string what;
  std::string before;
  std::string after;
  std::string delta;
  bool is_more = false;  ///< of a number: certainly larger than before
};

std::vector<DiffLine> lines_of(const ModuleDifference& module) {
  std::vector<DiffLine> lines;
  const std::string name = "module " + (module.name.empty() ? "-" : module.name);
  const auto add_numbers = [&](const std::string& where, const std::vector<NumberChange>& numbers) {
    for (const NumberChange& number : numbers) {
      lines.push_back({where, number.what, to_string(number.before), to_string(number.after),
                       number.delta(), number.grows()});
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

/// A line for each thing that one of the builds says and that cannot all be true.
std::vector<std::string> contradiction_lines(const BuildDifference& difference) {
  std::vector<std::string> lines;
  const auto add = [&](std::string_view build, const std::vector<ModuleContradiction>& list) {
    for (const auto& [module, one] : list) {
      lines.push_back(
          fmt::format("The archive {} contradicts itself, numbers may be wrong: {}: {} [{}]\n",
                      build, printable(module), printable(one.detail), one.code));
    }
  };
  add("before", difference.contradictions_before);
  add("after", difference.contradictions_after);
  return lines;
}

std::string to_text(const BuildDifference& difference, DiffFormat format) {
  std::string text;
  switch (format) {
    case DiffFormat::text:
      text = as_text(difference.modules, colours_of_standard_output());
      for (const std::string& line : contradiction_lines(difference)) text += line;
      break;
    case DiffFormat::json:
      return to_json(difference, JsonLayout::pretty);
    case DiffFormat::markdown:
      text = as_markdown(difference.modules);
      for (const std::string& line : contradiction_lines(difference)) {
        text += "\n" + markdown_cell(line);
      }
  }
  return text;
}

int run_diff(const DiffArguments& options, const Context& context) {
  if (!options.html.empty()) {
    const auto page = check_output(options.html, std::array{options.before, options.after});
    if (!page) return context.console.fail(page.error());
  }
  auto before = read_build(options.before, options, context);
  if (!before) return context.console.fail(before.error());
  auto after = read_build(options.after, options, context);
  if (!after) return context.console.fail(after.error());
  const BuildDifference difference = diff(before->report, after->report);
  const auto printed =
      options.html.empty()
          ? print(to_text(difference, options.format))
          : write_diff_page_file(*before, *after, difference.modules, options.html);
  if (!printed) return context.console.fail(printed.error());
  return difference.empty() ? 0 : exit_code(ErrorKind::check_failed);
}

}  // namespace

Command diff_command(CLI::App& parent) {
  CLI::App* app = parent.add_subcommand(
      "diff",
      "Show what changed between two builds: memory, arithmetic, kernels, the network. Kernels are "
      "compared by what they compute, so a new name alone is no difference");
  const auto options = std::make_shared<DiffArguments>();
  app->add_option("BEFORE", options->before, "The old archive")->required();
  app->add_option("AFTER", options->after, "The new archive")->required();
  add_compiler_options(*app, options->compiler);
  auto* format = add_enum_option(*app, "--format", options->format,
                                 {{"text", DiffFormat::text, "a table"},
                                  {"json", DiffFormat::json, "schemas/diff.md"},
                                  {"markdown", DiffFormat::markdown, "for pull requests"}},
                                 {"FORMAT", "Output"}, "Form of the result");
  app->add_option(
         "--html", options->html,
         "Write one HTML page instead: numbers, memory, networks and code of both; - is standard "
         "output")
      ->type_name("FILE")
      ->group("Output")
      ->excludes(format);
  return {app, [options](const Context& context) { return run_diff(*options, context); }};
}

}  // namespace mlf::program
