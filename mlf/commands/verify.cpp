// mlf verify: tests whether archives are consistent, for the exit code.
#include "mlf/verify.h"

#include <fmt/format.h>

#include <span>
#include <string>
#include <vector>

#include "commands/command.h"
#include "output.h"
#include "support/error.h"
#include "table.h"

namespace mlf::program {
namespace {

struct VerifyArguments {
  std::vector<std::string> archives;
  std::vector<std::string> tir_files;
  bool json = false;
};

/// "archive: module: error: what is wrong [code]": one line, but on a terminal.
std::string to_line(const VerifyFinding& finding, const std::string& archive) {
  const std::string module = finding.module.empty() ? "" : fmt::format("{}: ", finding.module);
  return printable(fmt::format("{}: {}{}: {} [{}]", archive, module, to_string(finding.severity),
                               finding.detail, code_of(finding))) +
         "\n";
}

std::string to_line(const VerifyResult& result, const std::string& archive) {
  std::string what =
      result.not_checked.empty()
          ? fmt::format("checked: {} of {} {}", result.passed, result.counted(),
                        claim_of(result.check))
          : fmt::format("not checked: whether {} ({})", claim_of(result.check), result.not_checked);
  if (!result.not_compared.empty()) {
    what += fmt::format("; not compared: {}", fmt::join(result.not_compared, ", "));
  }
  return printable(fmt::format("{}: {} [{}]", archive, what, to_string(result.check))) + "\n";
}

std::string to_lines(const VerifiedArchive& archive, const Console& console) {
  std::string text;
  for (const VerifyFinding& finding : archive.verification.findings) {
    // Notes do not change the verdict. JSON always contains them.
    if (finding.severity == graph::Severity::note && !console.is_verbose()) continue;
    text += to_line(finding, archive.path);
  }
  if (!console.is_verbose()) return text;
  for (const VerifyResult& result : archive.verification.checks) {
    text += to_line(result, archive.path);
  }
  return text;
}

std::string format_results(std::span<const VerifiedArchive> verified,
                           const VerifyArguments& options, const Context& context) {
  if (options.json) return to_json(verified, {JsonLayout::pretty, {context.words}});
  std::string text;
  for (const VerifiedArchive& archive : verified) text += to_lines(archive, context.console);
  return lines_for(text, {.width = screen_of_standard_output().width});
}

void declare_verify_options(CLI::App& app, VerifyArguments& options) {
  app.add_option("ARCHIVE", options.archives,
                 "Tars (plain, gzip, xz or zstd) or unpacked directories; - is standard input")
      ->required();
  add_tir_option(app, options.tir_files);
  add_flag(app, "--json", options.json, "Output", "Print JSON (schemas/verify.md)");
}

int run_verify(const VerifyArguments& options, const Context& context) {
  // A file belongs to one archive, but no option tells to which.
  if (options.archives.size() > 1 && !options.tir_files.empty()) {
    throw support::Error(ErrorKind::usage, "--tir takes one ARCHIVE");
  }
  int exit = 0;
  std::vector<VerifiedArchive> verified;
  for (const std::string& archive : options.archives) {
    auto verification = verify_archive(archive, {.tir_files = options.tir_files,
                                                 .archive_limits = context.limits.archive_limits,
                                                 .tir_limits = context.limits.tir_limits,
                                                 .macros = context.limits.macros,
                                                 .needs_origin = options.json});
    if (!verification) {
      // An unreadable archive outweighs one with findings.
      const int code = context.console.fail(verification.error());
      if (exit <= 1) exit = code;
      continue;
    }
    verified.push_back({archive, *std::move(verification)});
    if (exit == 0 && !verified.back().verification.passed())
      exit = exit_code(ErrorKind::check_failed);
  }
  // Also after failures: findings about the other archives are still valid.
  print(format_results(verified, options, context));
  return exit;
}

}  // namespace

Command verify_command(CLI::App& parent) {
  return make_command(
      parent, "verify",
      "Check that archives are consistent: networks pass their checks, stages of one build agree, "
      "generated C equals captured TIR, and what mlf wrote is intact and up to date. Prints a line "
      "for each problem. With -v also prints notes, and what was and was not checked, with counts. "
      "verify reads the C and does not compile it",
      declare_verify_options, run_verify);
}

}  // namespace mlf::program
