// mlf diff: what changed between two builds.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "archive/output_file.h"
#include "arguments.h"
#include "commands/command.h"
#include "commands/diff_tables.h"
#include "mlf/diff.h"
#include "options.h"
#include "output.h"
#include "page/page.h"
#include "report_page.h"

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

/// The directories that both have say nothing.
void leave_out_common_directories(std::string& before, std::string& after) {
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
  leave_out_common_directories(before.page.title, after.page.title);
  return add_changed_pictures(before.report, differences, &KernelDifference::before, before.page)
      .and_then([&] {
        return add_changed_pictures(after.report, differences, &KernelDifference::after,
                                    after.page);
      })
      .and_then([&] {
        return write_page_file(file, [&](const Sink& sink) {
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

std::string to_text(const BuildDifference& difference, DiffFormat format) {
  switch (format) {
    case DiffFormat::text:
      break;
    case DiffFormat::json:
      return to_json(difference, JsonLayout::pretty);
    case DiffFormat::markdown:
      return to_markdown(difference);
  }
  return to_tables(difference, screen_of_standard_output());
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
  if (difference.empty() && options.html.empty() && options.format == DiffFormat::text) {
    context.console.detail("no differences");
  }
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
