// mlf diff: the changes between two builds.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "archive/output_file.h"
#include "arguments.h"
#include "mlf/diff.h"
#include "page/page.h"
#include "report/integration_tables.h"
#include "report_page.h"
#include "result_file.h"
#include "support/error.h"
#include "support/lookup.h"
#include "table.h"

namespace mlf::program {
namespace {

using report::or_dash;
using support::get_or_throw;

enum class DiffFormat { text, json, markdown };

struct DiffArguments {
  std::string before;
  std::string after;
  DiffFormat format = DiffFormat::text;
  std::string html;
  CompilerArguments compiler{};
  std::vector<std::string> profiles_before;
  std::vector<std::string> profiles_after;
};

void declare_diff_options(CLI::App& app, DiffArguments& options) {
  app.add_option("BEFORE", options.before, "The old archive")->required();
  app.add_option("AFTER", options.after, "The new archive")->required();
  add_compiler_options(app, options.compiler);
  auto* before = add_option(app, "--profile-before", options.profiles_before, {"FILE", "Profiles"},
                            "Compare times of calls, too: those of BEFORE, by mlf profile --json; "
                            "repeatable");
  auto* after = add_option(app, "--profile-after", options.profiles_after, {"FILE", "Profiles"},
                           "Those of AFTER; repeatable");
  before->needs(after);
  after->needs(before);
  auto* format = add_enum_option(app, "--format", options.format,
                                 {{"text", DiffFormat::text, "a table"},
                                  {"json", DiffFormat::json, "schemas/diff.md"},
                                  {"markdown", DiffFormat::markdown, "for pull requests"}},
                                 {"FORMAT", "Output"}, "Form of the result");
  add_result_option(
      app, "--html", options.html, {"FILE", "Output"},
      "Write one HTML page instead: numbers, memory, networks and code of both; - is standard "
      "output")
      ->excludes(format);
  add_json_flag(app, options.format, DiffFormat::json);
  app.get_option("--json")->excludes(app.get_option("--html"));
}

// --- Tables --------------------------------------------------------------------------------------

/// The relative change of the number that changed most; an unknown number may have any value.
std::uint64_t effect_of(const KernelDifference& kernel) {
  std::uint64_t effect = 0;
  for (const NumberChange& number : kernel.numbers) {
    if (!number.before.is_exact() || !number.after.is_exact()) return UINT64_MAX;
    effect = std::max(effect, std::max(number.before.min, number.after.min) -
                                  std::min(number.before.min, number.after.min));
  }
  return effect;
}

/// The kernels of which more changed than what a sentence says, the largest change first; those
/// without numbers in the order of the network.
std::vector<const KernelDifference*> by_effect(const ModuleDifference& module) {
  std::vector<const KernelDifference*> kernels;
  for (const KernelDifference& kernel : module.kernels) {
    const bool has_sentence =
        kernel.change == KernelChange::moved || kernel.change == KernelChange::constants;
    if (!has_sentence) kernels.push_back(&kernel);
  }
  std::ranges::stable_sort(kernels, [](const KernelDifference* a, const KernelDifference* b) {
    return effect_of(*a) > effect_of(*b);
  });
  return kernels;
}

/// Sentences about changes of a module that have no numbers.
std::vector<std::string> sentences_of(const ModuleDifference& module) {
  std::vector<std::string> sentences;
  if (!module.before) sentences.emplace_back("module added");
  if (!module.after) sentences.emplace_back("module removed");
  sentences.insert(sentences.end(), module.graph.begin(), module.graph.end());
  return sentences;
}

/// The totals in the first line of a comment.
constexpr std::array<std::string_view, 3> kHeadline{"mac", "buffers", "flash.constants"};

Emphasis emphasis_of(const NumberChange& number) {
  return number.grows() ? Emphasis::warning : Emphasis::none;
}

Table totals_table(const std::vector<ModuleDifference>& modules) {
  Table table({"=MODULE", "TOTAL", "#BEFORE", "#AFTER", "#DELTA"});
  for (const ModuleDifference& module : modules) {
    for (const NumberChange& number : module.numbers) {
      table.add({or_dash(module.name), number.label(), to_string(number.before),
                 to_string(number.after), number.delta()},
                emphasis_of(number));
    }
  }
  return table;
}

Table kernels_table(const std::vector<ModuleDifference>& modules) {
  Table table({"=MODULE", "KERNEL", "CHANGE", "?NUMBER", "?#BEFORE", "?#AFTER", "?#DELTA"});
  for (const ModuleDifference& module : modules) {
    for (const KernelDifference* kernel : by_effect(module)) {
      std::string name = kernel->name;
      std::string change(to_string(kernel->change));
      if (kernel->numbers.empty()) {
        table.add({or_dash(module.name), std::move(name), std::move(change), "", "", "", ""});
      }
      for (const NumberChange& number : kernel->numbers) {
        table.add(
            {or_dash(module.name), std::exchange(name, ""), std::exchange(change, ""),
             number.label(), to_string(number.before), to_string(number.after), number.delta()},
            emphasis_of(number));
      }
    }
  }
  return table;
}

std::string sentences(const std::vector<ModuleDifference>& modules, const Screen& screen) {
  std::string text;
  for (const ModuleDifference& module : modules) {
    for (const std::string& one : sentences_of(module)) {
      const std::string line = fmt::format("{}: {}", or_dash(module.name), one);
      text += folded(printable(line), screen, 2) + "\n";
    }
  }
  return text;
}

/// A line for each reason of totals that are not exact, and each contradiction within a build.
std::vector<std::string> remark_lines(const BuildDifference& difference) {
  std::vector<std::string> lines;
  for (const ModuleDifference& module : difference.modules) {
    const std::string name = difference.modules.size() > 1 ? or_dash(module.name) + ", " : "";
    for (const std::string& why : module.uncertain) {
      lines.push_back("Not exact, " + printable(name + why));
    }
  }
  const auto add = [&](std::string_view build, const std::vector<ModuleContradiction>& list) {
    for (const auto& [module, one] : list) {
      lines.push_back(
          fmt::format("The archive {} contradicts itself, numbers may be wrong: {}: {} [{}]", build,
                      printable(module), printable(one.detail), one.code));
    }
  };
  add("before", difference.contradictions_before);
  add("after", difference.contradictions_after);
  return lines;
}

/// Totals, then kernels by the size of the change, then the network, constants and members.
std::string to_tables(const BuildDifference& difference, const Screen& screen) {
  std::string text;
  const auto add = [&](const std::string& part) {
    if (!text.empty() && !part.empty()) text += "\n";
    text += part;
  };
  for (const Table& table : {totals_table(difference.modules), kernels_table(difference.modules)}) {
    if (!table.empty()) add(table.text(screen));
  }
  add(sentences(difference.modules, screen));
  std::string others;
  for (const auto& [where, what] : words_of(difference)) {
    others += folded(printable(where + ": " + what), screen, 2) + "\n";
  }
  add(others);
  for (const std::string& line : remark_lines(difference)) {
    text += folded(line, screen, 2) + "\n";
  }
  return text;
}

/// "buffers -512 (-0.2 %), FLASH constants +12 (+0.0 %)"
std::string changed_totals(const BuildDifference& difference) {
  std::string text;
  for (const ModuleDifference& module : difference.modules) {
    for (const NumberChange& number : module.numbers) {
      if (!support::is_among(kHeadline, number.what)) continue;
      text += text.empty() ? "" : ", ";
      if (difference.modules.size() > 1) text += or_dash(module.name) + " ";
      const std::string delta = number.delta();
      text += number.label() + " " +
              (delta == "?" ? to_string(number.before) + " -> " + to_string(number.after) : delta);
    }
  }
  return text.empty() ? "RAM, constants and MAC are the same" : text;
}

/// A comment of a pull request: a line, the totals, and the rest in parts that a reader opens.
std::string to_markdown(const BuildDifference& difference) {
  if (difference.empty()) return "No differences.\n";
  Table network({"=MODULE", "NETWORK"});
  std::size_t kernels = 0;
  for (const ModuleDifference& module : difference.modules) {
    kernels += by_effect(module).size();
    for (const std::string& one : sentences_of(module)) network.add({or_dash(module.name), one});
  }
  Table others({"WHERE", "DIFFERENCE"});
  const std::vector<DifferenceWords> words = words_of(difference);
  for (const auto& [where, what] : words) others.add({where, what});
  const Screen people{.digits = Digits::grouped};
  std::string text =
      fmt::format("**{}**\n", markdown_text(with_digits(changed_totals(difference), people)));
  const Table totals = totals_table(difference.modules);
  if (!totals.empty()) text += "\n" + totals.markdown();
  for (const std::string& line : remark_lines(difference)) {
    text += "\n" + markdown_text(line) + "\n";
  }
  return text +
         folded_table(fmt::format("Kernels: {}", kernels), kernels_table(difference.modules)) +
         folded_table("Network", network) +
         folded_table(fmt::format("Other differences: {}", words.size()), others);
}

// --- The page ------------------------------------------------------------------------------------

/// One of the two builds.
struct Build : ReportArgument {
  PageData page{};  ///< set if a page is written
};

/// Omits the directories that both paths have.
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

void write_diff_page_file(Build& before, Build& after, const BuildDifference& difference,
                          const std::string& file) {
  leave_out_common_directories(before.page.title, after.page.title);
  add_changed_pictures(before.report, difference.modules, kBuildBefore, before.page);
  add_changed_pictures(after.report, difference.modules, kBuildAfter, after.page);
  write_result(file, [&](const Sink& sink) {
    write_diff_page({before.report, before.page}, {after.report, after.page}, difference, sink);
  });
}

Build read_build(const std::string& path, const std::vector<std::string>& profiles,
                 const DiffArguments& options, const Context& context) {
  Build build{read_report(path, options.compiler, profiles, context)};
  if (options.html.empty()) return build;
  build.page = page_data(build.deployment, build.report);
  build.page.title = title_of(path);
  build.page.command = context.words;
  return build;
}

/// Errors: `usage` if the page would overwrite one of its inputs.
void check_page(const DiffArguments& options) {
  std::vector<std::string> inputs{options.before, options.after};
  for (const auto* files : {&options.profiles_before, &options.profiles_after}) {
    inputs.insert(inputs.end(), files->begin(), files->end());
  }
  check_output(options.html, inputs);
}

int run_diff(const DiffArguments& options, const Context& context) {
  const bool is_page = !options.html.empty();
  if (is_page) check_page(options);
  Build before = read_build(options.before, options.profiles_before, options, context);
  Build after = read_build(options.after, options.profiles_after, options, context);
  const BuildDifference difference =
      get_or_throw(diff({before.deployment, before.report}, {after.deployment, after.report}));
  if (is_page) {
    write_diff_page_file(before, after, difference, options.html);
  } else {
    print(options.format == DiffFormat::json
              ? to_json(difference, form_of(context, {&before.deployment, &after.deployment}))
          : options.format == DiffFormat::markdown
              ? to_markdown(difference)
              : to_tables(difference, screen_of_standard_output()));
  }
  if (difference.empty() && !is_page && options.format == DiffFormat::text) {
    context.console.detail("no differences");
  }
  return difference.empty() ? 0 : exit_code(ErrorKind::check_failed);
}

}  // namespace

Command diff_command(CLI::App& parent) {
  return make_command(
      parent, "diff",
      "Show what changed between two builds: memory, arithmetic, kernels, the network, values of "
      "constants, members. If nothing differs except what does not count (mlf/guide/changes.md), "
      "it prints nothing",
      declare_diff_options, run_diff);
}

}  // namespace mlf::program
