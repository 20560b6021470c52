// mlf plan: what a network's memory could be, and offsets for buffers of any kind.
#include <fmt/core.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "arguments.h"
#include "commands/budget_file.h"
#include "commands/command.h"
#include "commands/plan_tables.h"
#include "mlf/deployment.h"
#include "mlf/plan.h"
#include "mlf/plan/problem.h"
#include "output.h"

namespace mlf::program {
namespace {

struct PlanArguments {
  std::string archive;
  std::string problem;
  std::string capacity;
  double seconds = 0;  ///< 0: the library's default number of steps
  PlanDetails details{};
  bool json = false;
  std::vector<std::string> memories;  ///< "NAME=BYTES" each
};

/// A plan of an archive, or of a file of buffers: options of the one do not go with the other.
void declare_plan_options(CLI::App& app, PlanArguments& options) {
  auto* problem =
      app.add_option(
             "--problem", options.problem,
             "Plan these buffers instead, in the CSV format of MiniMalloc: id, lower, upper "
             "and size, also alignment, gaps and offset where it is fixed; - is standard "
             "input")
          ->type_name("FILE")
          ->group("Buffers without an archive");
  app.add_option("ARCHIVE", options.archive, kArchiveHelp)->excludes(problem);
  app.add_option("--capacity", options.capacity,
                 "Bytes of the pool: the search ends when the buffers fit; exit code 1 if they "
                 "do not")
      ->type_name("N")
      ->check(size_with_unit())
      ->group("Buffers without an archive")
      ->needs(problem);
  app.add_option("--seconds", options.seconds, "End the search after this number of seconds")
      ->type_name("S")
      ->group("Search")
      ->check(number_above_0());
  app.add_flag("--offsets", options.details.offsets, "List every buffer that would move")
      ->group("Output")
      ->excludes(problem);
  app.add_flag("--scratch", options.details.scratch, "List the cost of the workspaces of each call")
      ->group("Output")
      ->excludes(problem);
  app.add_flag("--json", options.json, "Print JSON (schemas/plan.md)")
      ->group("Output")
      ->excludes(problem);
  app.add_flag(
         "--in-place", options.details.in_place,
         "With --offsets, list those of the plan in which results are written over their inputs")
      ->group("Output")
      ->excludes(problem);
  app.add_option("--pool", options.memories,
                 "A memory of the board, such as fast=64K, the fastest first; repeatable. Prints "
                 "the memory "
                 "of each buffer, chosen by bytes accessed; exit code 1 if they do not fit")
      ->type_name("NAME=BYTES")
      ->group("Several memories")
      ->excludes(problem);
}

plan::SearchLimits limits_of(const PlanArguments& options) {
  plan::SearchLimits limits;
  if (options.seconds > 0) {
    // The time is the limit then, whatever the number of steps.
    limits.seconds = std::chrono::duration<double>(options.seconds);
    limits.steps = UINT64_MAX;
  }
  return limits;
}

/// "fast=64K" each, in their order. Errors: `usage`.
Result<std::vector<plan::MemoryLimit>> memories_of(const std::vector<std::string>& texts) {
  std::vector<plan::MemoryLimit> memories;
  for (const std::string& text : texts) {
    auto memory = named_size("--pool", text);
    if (!memory) return tl::make_unexpected(memory.error());
    memories.push_back({std::move(memory->first), memory->second});
  }
  return memories;
}

/// Fails for the first module whose buffers do not fit, or of which that is not known, and where
/// there is nothing that could be split.
int judge_split(const ArchivePlan& plan, const Context& context) {
  bool has_pools = false;
  for (const ModulePlan& module : plan.modules) {
    if (module.pools.empty()) continue;
    has_pools = true;
    if (module.split && module.split->split.fits) continue;
    const std::string why = module.split ? "its buffers do not fit into the memories given"
                                         : "its pools cannot be planned";
    return context.console.fail(ErrorKind::check_failed,
                                fmt::format("module '{}': {}", printable(module.name), why));
  }
  if (has_pools) return 0;
  std::string why = "no network of this archive has a memory pool to split";
  for (const ModulePlan& module : plan.modules) {
    if (module.unread_pools) why = *module.unread_pools;
  }
  return context.console.fail(ErrorKind::check_failed, why);
}

int plan_networks(const PlanArguments& options, const Context& context) {
  const auto deployment = Deployment::open(options.archive, context.limits.deployment());
  if (!deployment) return context.console.fail(deployment.error());
  warn_if_incomplete(*deployment, context.console);
  const auto memories = memories_of(options.memories);
  if (!memories) return context.console.fail(memories.error());
  const auto plan = plan_archive(*deployment, limits_of(options), *memories);
  if (!plan) return context.console.fail(plan.error());
  const auto printed =
      print(options.json ? to_json(*plan, JsonLayout::pretty)
                         : to_text(*plan, options.details, screen_of_standard_output()));
  if (!printed) return context.console.fail(printed.error());
  return memories->empty() ? 0 : judge_split(*plan, context);
}

std::string summary(const plan::Solution& solution, std::size_t buffers) {
  const std::string quality = solution.size == solution.lower_bound
                                  ? "no plan is smaller"
                                  : fmt::format("every plan needs {}", solution.lower_bound);
  return fmt::format("{} buffers in {} bytes; {}", buffers, solution.size, quality);
}

/// The rows of the file with a column `offset`, the best ones found even where they do not fit.
int plan_problem(const PlanArguments& options, const Console& console) {
  const auto file = load_tir_file(options.problem);
  if (!file) return console.fail(file.error());
  auto csv = plan::read_problem_csv(file->text, options.problem);
  if (!csv) return console.fail(csv.error());
  if (!options.capacity.empty()) {
    const auto capacity = number_of(options.capacity);
    if (!capacity) return console.fail(capacity.error());
    csv->problem.capacity = *capacity;
  }
  plan::SearchLimits limits = limits_of(options);
  if (!limits.seconds) {
    // A problem in a file is as hard as its maker likes: time ends the search, not steps.
    limits.seconds = std::chrono::minutes(1);
    limits.steps = UINT64_MAX;
  }
  const auto solution = plan::solve(csv->problem, limits);
  if (!solution) return console.fail(in_file(solution.error(), options.problem));
  const auto printed = print(plan::to_csv(*csv, solution->offsets));
  if (!printed) return console.fail(printed.error());
  console.note(summary(*solution, csv->problem.buffers.size()));
  if (solution->fits) return 0;
  const std::string why =
      fmt::format("no plan {} {} bytes", solution->proven ? "fits into" : "was found in time for",
                  *csv->problem.capacity);
  return console.fail(ErrorKind::check_failed, why);
}

int run_plan(const PlanArguments& options, const Context& context) {
  if (!options.problem.empty()) return plan_problem(options, context.console);
  if (!options.archive.empty()) return plan_networks(options, context);
  return context.console.fail(ErrorKind::usage, "nothing to plan: give ARCHIVE or --problem FILE");
}

}  // namespace

Command plan_command(CLI::App& parent) {
  CLI::App* app = parent.add_subcommand(
      "plan",
      "Find offsets of buffers that need less memory. For an archive, show what each memory pool "
      "takes, what it would take with other offsets or another order of calls, and the lower "
      "bound. mlf optimize writes an archive with these offsets");
  const auto options = std::make_shared<PlanArguments>();
  declare_plan_options(*app, *options);
  return {app, [options](const Context& context) { return run_plan(*options, context); }};
}

}  // namespace mlf::program
