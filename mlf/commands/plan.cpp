// mlf plan: offsets for buffers with lifetimes.
#include <fmt/core.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "commands/budget_file.h"
#include "commands/command.h"
#include "mlf/deployment.h"
#include "mlf/plan/problem.h"
#include "mlf/plan/problem_csv.h"
#include "output.h"

namespace mlf::program {
namespace {

struct PlanArguments {
  std::string problem;
  std::string capacity;
  double seconds = 0;  ///< 0: as many steps as the library thinks fit
};

void declare_plan_options(CLI::App& app, PlanArguments& options) {
  auto* problem =
      app.add_option("--problem", options.problem,
                     "Buffers in the CSV format of MiniMalloc: id, lower, upper and size, also "
                     "alignment, gaps and offset where it is fixed; - is standard input")
          ->type_name("FILE")
          ->required();
  app.add_option("--capacity", options.capacity,
                 "Bytes of the pool: nothing smaller is looked for; 1 if the buffers do not fit")
      ->type_name("N")
      ->needs(problem);
  app.add_option("--seconds", options.seconds, "End the search after this time")
      ->type_name("S")
      ->check(CLI::PositiveNumber);
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
  plan::SearchLimits limits;
  if (options.seconds > 0) {
    // The time is the limit then, whatever the number of steps.
    limits.seconds = std::chrono::duration<double>(options.seconds);
    limits.steps = UINT64_MAX;
  }
  const auto solution = plan::solve(csv->problem, limits);
  if (!solution) return console.fail(in_file(solution.error(), options.problem));
  const auto printed = print(plan::to_csv(*csv, solution->offsets));
  if (!printed) return console.fail(printed.error());
  console.note(summary(*solution, csv->problem.buffers.size()));
  if (solution->fits) return 0;
  return console.fail(
      ErrorKind::check_failed,
      fmt::format("{} for {} bytes",
                  solution->proven ? "the buffers are too many" : "no plan was found",
                  *csv->problem.capacity));
}

}  // namespace

Command plan_command(CLI::App& parent) {
  CLI::App* app = parent.add_subcommand(
      "plan", "Find offsets for buffers, so that those in use together do not overlap");
  const auto options = std::make_shared<PlanArguments>();
  declare_plan_options(*app, *options);
  return {app,
          [options](const Context& context) { return plan_problem(*options, context.console); }};
}

}  // namespace mlf::program
