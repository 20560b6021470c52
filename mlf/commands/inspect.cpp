// mlf inspect: what is in an archive.
#include <memory>
#include <string>

#include "commands/command.h"
#include "commands/inspect_tables.h"
#include "output.h"

namespace mlf::program {
namespace {

struct InspectArguments {
  std::string archive;
  bool json = false;
};

/// The tables are printed as a whole; TIR that does not read is an error after them.
int report_failures(const Inspection& inspection, const Console& console) {
  int exit = 0;
  for (const TirFacts& facts : inspection.tir) {
    if (facts.failure) exit = console.fail(*facts.failure);
  }
  // TIR that does not read leaves no network either: that is one fault.
  if (exit == 0 && inspection.networks_failure) {
    exit = console.fail(*inspection.networks_failure);
  }
  return exit;
}

int run_inspect(const InspectArguments& options, const Context& context) {
  const auto deployment = Deployment::open(options.archive, context.limits.deployment());
  if (!deployment) return context.console.fail(deployment.error());
  const Inspection inspection = inspect(*deployment);
  const auto printed =
      print(options.json ? to_json(*deployment, inspection, JsonLayout::pretty)
                         : to_tables(*deployment, inspection, screen_of_standard_output()));
  if (!printed) return context.console.fail(printed.error());
  return report_failures(inspection, context.console);
}

}  // namespace

Command inspect_command(CLI::App& parent) {
  CLI::App* app = parent.add_subcommand(
      "inspect",
      "Show what an archive contains: modules, targets, memory, TIR, functions, members");
  const auto options = std::make_shared<InspectArguments>();
  app->add_option("ARCHIVE", options->archive, kArchiveHelp)->required();
  app->add_flag("--json", options->json, "Print JSON (schemas/inspect.md)")->group("Output");
  return {app, [options](const Context& context) { return run_inspect(*options, context); }};
}

}  // namespace mlf::program
