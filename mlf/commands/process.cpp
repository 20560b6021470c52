// mlf process: adds TIR and networks as JSON to archives.
#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "commands/command.h"
#include "jobs.h"
#include "mlf/process.h"
#include "result_file.h"
#include "support/error.h"

namespace mlf::program {
namespace {

struct ProcessArguments {
  std::vector<std::string> archives;
  ProcessOptions process{};  ///< of each
  std::vector<std::string> require;
  bool force = false;
  bool dry_run = false;
  bool json = false;
  unsigned jobs = 1;
};

// nullopt until its archive was processed.
using Outcome = std::optional<Result<ProcessReport>>;

void declare_process_options(CLI::App& app, ProcessArguments& options) {
  app.add_option("ARCHIVE", options.archives,
                 "Archives to process in place: a tar (plain, gzip, xz or zstd) or an unpacked "
                 "directory; - takes a tar from standard input to standard output")
      ->required();
  add_result_option(app, "-o,--output", options.process.output, {"OUT", "Output"},
                    "Write the result here, and do not change the archive; for one ARCHIVE");
  add_option(
      app, "--tir", options.process.tir_files, {"FILE", "Input"},
      "Also read TIR from this file, as if it were in src/ of the archive, under its own name if "
      "that is like tir-1.txt or tir-1.tvm.json, else under the next free one; for one ARCHIVE; "
      "repeatable");
  add_option(
      app, "--add-tir", options.process.added_tir_files, {"FILE", "Input"},
      "First add this file with TIR to src/ of the archive; its name must be like tir-1.txt or "
      "tir-1.tvm.json. An existing member of that name stays; for one ARCHIVE; repeatable");
  add_enum_option(app, "--constants", options.process.constants,
                  {{"inline", tir::ConstantPlace::inside, "in the JSON, as base64"},
                   {"npy", tir::ConstantPlace::npy, "in .npy members beside it"},
                   {"none", tir::ConstantPlace::none, "left out"}},
                  {"PLACE", "Output"}, "Data of constants");
  add_option(app, "--require", options.require, {"WHAT", "Checks"},
             "Exit with 1 and change nothing if this is missing; with commas between several:\ntir "
             " any TIR\ngraph  a valid graph of every module")
      ->check(one_of({"tir", "graph"}))
      ->delimiter(',');
  add_option(app, "--module", options.process.module, {"MODULE", "Input"},
             "Process archives without metadata.json, such as a directory with only codegen/, "
             "whose files are those of this module");
  add_flag(app, "--force", options.force, "Output",
           "Replace members that have the name of an output and that mlf did not write");
  add_flag(app, "--dry-run", options.dry_run, "Output",
           "Print what would be written, and write nothing");
  add_flag(app, "--json", options.json, "Output", "Print JSON (schemas/process.md)");
  add_jobs_option(app, options.jobs, "Archives to process");
}

ProcessOptions process_options(const ProcessArguments& options, const DeploymentOptions& limits) {
  ProcessOptions result = options.process;
  for (const std::string& requirement : options.require) {
    result.require.push_back(requirement == "tir" ? Requirement::tir : Requirement::graph);
  }
  if (options.force) result.foreign = ForeignMembers::replace;
  if (options.dry_run) result.effect = Effect::dry_run;
  result.archive_limits = limits.archive_limits;
  result.tir_limits = limits.tir_limits;
  result.macros = limits.macros;
  result.needs_origin = options.json;
  return result;
}

/// Options that only apply to a single archive, or not to a terminal.
std::optional<std::string> misuse(const ProcessArguments& options) {
  const bool several = options.archives.size() > 1;
  if (several && !options.process.output.empty()) return "-o takes one ARCHIVE";
  if (several && !options.process.tir_files.empty()) return "--tir takes one ARCHIVE";
  if (several && !options.process.added_tir_files.empty()) return "--add-tir takes one ARCHIVE";
  const auto& archives = options.archives;
  const bool from_stdin = std::find(archives.begin(), archives.end(), "-") != archives.end();
  if (several && from_stdin) return "standard input is the one ARCHIVE or none";
  // Standard input cannot be changed in place.
  const bool to_stdout = from_stdin && options.process.output.empty();
  const std::string result = to_stdout ? "-" : options.process.output;
  if (options.dry_run) return std::nullopt;
  check_terminal(result);
  takes_standard_output({result}, options.json ? Printed::json : Printed::table);
  return std::nullopt;
}

/// Processes all archives, `jobs` at a time; outcomes are in the order of the archives.
std::vector<Outcome> process_all(const ProcessArguments& options, const Context& context) {
  const ProcessOptions each = process_options(options, context.limits);
  std::vector<Outcome> outcomes(options.archives.size());
  // Each archive has its own place in `outcomes`.
  for_each_index(outcomes.size(), options.jobs, [&](std::size_t i) {
    context.console.detail(fmt::format("{}: processing", options.archives[i]));
    outcomes[i] = process_archive(options.archives[i], each);
  });
  return outcomes;
}

/// A module without a network is usual (no main was captured); an inconsistent network is reported
/// without -v too.
void explain(const NetworkReport& network, const std::string& archive, const Console& console) {
  if (network.reason) {
    console.detail(fmt::format("{}: module '{}' has no network: {}", archive, network.module,
                               to_string(*network.reason)));
  } else if (network.failed_checks != 0) {
    console.note(fmt::format("{}: no graph of module '{}' (see mlf verify): {}", archive,
                             network.module, network.first_failure));
  }
}

/// On one line: the place, without its text.
std::string unread_warning(Diagnostic why) {
  why.where.source_line.clear();
  why.message += "; constants that only this file contains have no data";
  return to_string(why);
}

void explain(const std::string& archive, const ProcessReport& report, const Console& console) {
  for (const std::string& kept : report.kept) {
    console.warn(fmt::format("{}: {} already exists with other content, and stays", archive, kept));
  }
  for (const std::string& lost : report.lost) console.warn(fmt::format("{}: {}", archive, lost));
  for (const Diagnostic& why : report.unread_constants) console.warn(unread_warning(why));
  const bool has_network =
      std::any_of(report.networks.begin(), report.networks.end(),
                  [](const NetworkReport& network) { return !network.reason; });
  // Reported, because users expect that mlf process adds members.
  if (report.tir_sources == 0 && !report.changed() && !report.networks.empty() && !has_network) {
    console.note(
        fmt::format("{}: no TIR and no graph in this archive, so nothing to add", archive));
  } else if (!report.changed()) {
    console.detail(fmt::format("{}: up to date", archive));
  }
  for (const NetworkReport& network : report.networks) explain(network, archive, console);
  for (const WrittenMember& member : report.written) {
    console.detail(fmt::format("{}: {}, {} bytes", archive, member.name, member.size));
  }
  for (const std::string& name : report.removed) {
    console.detail(fmt::format("{}: {} removed", archive, name));
  }
}

/// The output of --dry-run: one line for each member, and at least one line.
std::string plan_of(const std::string& archive, const ProcessReport& report) {
  std::string text;
  const auto line = [&](const std::string& what) {
    text += printable(fmt::format("{}: {}", archive, what)) + "\n";
  };
  for (const WrittenMember& member : report.written) {
    line(fmt::format("write {} ({} bytes)", member.name, member.size));
  }
  for (const std::string& name : report.removed) line(fmt::format("remove {}", name));
  if (text.empty()) line("nothing to do");
  return text;
}

int run_process(const ProcessArguments& options, const Context& context) {
  // Checks that CLI11 cannot make, before any archive is changed.
  if (const auto reason = misuse(options)) throw support::Error(ErrorKind::usage, *reason);
  const std::vector<Outcome> outcomes = process_all(options, context);
  int exit = 0;
  std::vector<ProcessedArchive> processed;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const auto& outcome = *outcomes[i];
    if (!outcome) {
      const int code = context.console.fail(outcome.error());
      // The first failure determines the exit code; the other archives are still processed.
      if (exit == 0) exit = code;
      continue;
    }
    // After all archives, so lines of parallel archives do not mix.
    explain(options.archives[i], *outcome, context.console);
    if (options.json) {
      processed.push_back({options.archives[i], *outcome});
    } else if (options.dry_run) {
      print(plan_of(options.archives[i], *outcome));
    }
  }
  if (options.json) print(to_json(processed, {JsonLayout::pretty, {context.words}}));
  return exit;
}

}  // namespace

Command process_command(CLI::App& parent) {
  return make_command(
      parent, "process",
      "Write the TIR and the network of an archive into it as JSON: TIR (captured, else read from "
      "the generated C) as src/tir-N.json, the network of each module as src/MODULE.topology.json "
      "and src/MODULE.graph.json, and a manifest as src/mlf.json. Nothing else in the archive "
      "changes, and an archive that is up to date is not written",
      declare_process_options, run_process);
}

}  // namespace mlf::program
