// mlf check: tests whether the networks of an archive fit a budget.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "archive/output_file.h"
#include "arguments.h"
#include "commands/budget_file.h"
#include "mlf/budget.h"
#include "page/html.h"
#include "report/integration_tables.h"
#include "support/error.h"
#include "table.h"

namespace mlf::program {
namespace {

using report::or_dash;
using support::Error;
using support::get_or_throw;

enum class CheckFormat {
  text,
  json,   ///< schemas/check.schema.json
  junit,  ///< a test case for each limit and each unwanted finding
  sarif,  ///< SARIF 2.1.0: a result for each limit that does not hold and each finding
};

struct CheckArguments {
  std::vector<std::string> archives;
  std::string board;
  std::vector<std::pair<Resource, std::string>> limits;  ///< as written by the user
  std::vector<std::string> no_findings;                  ///< codes as written by the user
  std::string budget;
  CheckFormat format = CheckFormat::text;
  bool update = false;
  std::vector<std::string> profiles;
  CompilerArguments compiler{};
  std::string library_stack;  ///< as written by the user; empty: unknown
  std::string library_flash;
};

std::vector<std::string> finding_codes() {
  std::vector<std::string> codes;
  for (const CostFindingInfo& one : all_cost_findings()) codes.emplace_back(one.code);
  return codes;
}

void declare_check_options(CLI::App& app, CheckArguments& options) {
  app.add_option("ARCHIVE", options.archives,
                 "A tar, compressed or not, or a directory; several: --board")
      ->required();
  for (const ResourceInfo& one : resource_infos()) {
    app.add_option_function<std::string>(
           "--" + std::string(one.name),
           [&options, resource = one.resource](const std::string& text) {
             options.limits.emplace_back(resource, text);
           },
           std::string(one.meaning))
        ->type_name("N")
        ->check(
            accepted_by([resource = one.resource](auto text) { return amount_of(resource, text); }))
        ->group("Limits");
  }
  add_option(app, "--no-finding", options.no_findings, {"CODE", "Other demands"},
             "Fail if mlf report finds this code; repeatable")
      ->check(one_of(finding_codes()));
  auto* budget = add_option(app, "--budget", options.budget, {"FILE", "Other demands"},
                            "Read limits in TOML, also in tables [modules.NAME]");
  add_option(app, "--board", options.board, {"FILE", "Other demands"},
             "Check that all archives together fit memories in TOML, and define no symbol twice")
      ->excludes(budget);
  add_flag(app, "--update", options.update, "Other demands",
           "Lower the limits in FILE of --budget to what is needed now")
      ->needs(budget);
  add_profile_option(app, options.profiles);
  app.get_option("--profile")->group("Other demands");
  add_compiler_options(app, options.compiler);
  add_option(app, "--library-stack", options.library_stack, {"N", "Compiler"},
             "Most stack bytes of functions outside of the archives")
      ->check(size_with_unit());
  add_option(app, "--library-flash", options.library_flash, {"N", "Compiler"},
             "Flash bytes of these functions")
      ->check(size_with_unit());
  add_enum_option(app, "--format", options.format,
                  {{"text", CheckFormat::text, "a line for each limit"},
                   {"json", CheckFormat::json, "schemas/check.md"},
                   {"junit", CheckFormat::junit, "for CI"},
                   {"sarif", CheckFormat::sarif, "for code scanning"}},
                  {"FORMAT", "Output"}, "Form of the result");
  add_json_flag(app, options.format, CheckFormat::json);
}

// --- Demands -------------------------------------------------------------------------------------

/// The demands of the file and of the command line, whose limits override those of the file.
Budget with_arguments(Budget budget, const CheckArguments& options) {
  for (const auto& [resource, text] : options.limits) {
    const Limit limit{resource, get_or_throw(amount_of(resource, text))};
    const auto is_same = [&](const Limit& one) { return one.resource == limit.resource; };
    std::erase_if(budget.common.limits, is_same);
    budget.common.limits.push_back(limit);
    for (auto& [name, demands] : budget.of_modules) std::erase_if(demands.limits, is_same);
  }
  for (const std::string& text : options.no_findings) {
    budget.common.no_findings.push_back(get_or_throw(finding_named(text)));
  }
  return budget;
}

LibraryNeeds library_of(const CheckArguments& options) {
  const auto bytes_of = [](const std::string& text) -> std::optional<std::uint64_t> {
    if (text.empty()) return std::nullopt;
    return get_or_throw(number_of(text));
  };
  return {.stack = bytes_of(options.library_stack), .flash = bytes_of(options.library_flash)};
}

/// The limits of the file that may be lower. One of all modules has to hold for each without one of
/// its own, and for all together.
std::vector<ModuleLimit> lowered(const Budget& file, const Report& report,
                                 const LibraryNeeds& library) {
  std::vector<ModuleLimit> limits;
  for (const BudgetResult& result : check(report, file, library).limits) {
    const Resource resource = result.limit.resource;
    const auto own = file.of_modules.find(result.module);
    const bool is_own = own != file.of_modules.end() &&
                        std::ranges::find(own->second.limits, resource, &Limit::resource) !=
                            own->second.limits.end();
    const std::string module = is_own ? result.module : std::string(kAllModules);
    const auto known = std::ranges::find_if(limits, [&](const ModuleLimit& one) {
      return one.module == module && one.limit.resource == resource;
    });
    const std::uint64_t most = result.needed.max.value_or(result.limit.most);
    if (known == limits.end()) {
      limits.push_back({module, {.resource = resource, .most = most}, result.limit.most});
    } else {
      known->limit.most = std::max(known->limit.most, most);
    }
  }
  std::erase_if(limits, [](const ModuleLimit& one) { return one.limit.most >= one.before; });
  return limits;
}

/// A limit on a missing module would always hold. Errors: `invalid_input` with the place of its
/// name, as for any other wrong name in the file.
void require_modules(const Budget& budget, const Report& report, const std::string& archive) {
  std::vector<std::string> names;
  for (const ModuleReport& module : report.modules) names.push_back(module.name);
  for (const auto& [name, demands] : budget.of_modules) {
    if (std::ranges::find(names, name) != names.end()) continue;
    throw Error(ErrorKind::invalid_input,
                fmt::format("{}: {}", archive, unknown_module(name, names)), demands.where);
  }
}

/// Errors: `usage` if the file of limits cannot be updated.
void check_budget_file(const CheckArguments& options) {
  if (!options.update) return;
  std::error_code ignored;
  const bool is_stream = std::filesystem::exists(options.budget, ignored) &&
                         !std::filesystem::is_regular_file(options.budget, ignored);
  if (options.budget == "-" || is_stream) {
    throw Error(ErrorKind::usage, "--update needs a file, no stream", {.file = options.budget});
  }
  check_output(options.budget, options.archives);
}

// --- Output --------------------------------------------------------------------------------------

std::string joined(const std::vector<std::string>& sentences) {
  return fmt::format("{}", fmt::join(sentences, "; "));
}

/// Times have the unit of the larger one.
std::string amount_text(const Limit& limit, const analysis::Count& amount) {
  if (limit.resource != Resource::time || !(amount.is_known() || amount.min > 0)) {
    return to_string(amount);
  }
  const std::uint64_t largest = std::max(limit.most, amount.max.value_or(amount.min));
  constexpr int kDigits = 7;  // the verdict may depend on the last ones
  return time_text(amount.min, amount.max, largest, kDigits);
}

Table limits_table(const std::vector<BudgetResult>& results) {
  Table table({"MODULE", "LIMIT", "#MOST", "#NEEDED", "VERDICT", "~WHY"});
  for (const BudgetResult& result : results) {
    const std::string name = printable(to_string(result.limit));
    table.add({or_dash(result.module), or_dash(name), amount_text(result.limit, result.limit.most),
               amount_text(result.limit, result.needed), std::string(to_string(result.verdict)),
               joined(result.remarks)},
              result.verdict == Verdict::fits ? Emphasis::none : Emphasis::warning);
  }
  return table;
}

std::string_view code_of(const FindingResult& result) {
  return info(result.code).code;
}

/// A line for each finding, and one for each code without findings.
Table findings_table(const std::vector<FindingResult>& results) {
  Table table({"MODULE", "FINDING", "WHERE", "#BYTES", "~EVIDENCE"});
  for (const FindingResult& result : results) {
    const std::string module = or_dash(result.module);
    const std::string code(code_of(result));
    const Presence presence = result.presence();
    if (presence == Presence::absent) table.add({module, code, "none", "", ""});
    if (presence == Presence::undecided) {
      table.add({module, code, "undecided", "", joined(result.unsearched)}, Emphasis::warning);
    }
    for (const CostFinding& one : result.found) {
      table.add({module, code, one.where, bytes_text(one.bytes), one.evidence}, Emphasis::warning);
    }
  }
  return table;
}

Table parts_table(const std::vector<BoardPart>& parts) {
  Table table({"MEMORY", "ARCHIVE", "?MODULE", "PART", "#BYTES"});
  for (const BoardPart& one : parts) {
    table.add({or_dash(printable(one.memory)), printable(one.archive), printable(one.module),
               printable(one.name), to_string(one.bytes)},
              one.memory.empty() ? Emphasis::warning : Emphasis::none);
  }
  return table;
}

/// Symbols of packed calls and of the graph executor do not contain the name of the module.
std::string remedy_of(const std::vector<SymbolClash>& clashes) {
  const bool is_named = std::ranges::all_of(clashes, [](const SymbolClash& one) {
    return std::ranges::adjacent_find(one.modules) != one.modules.end();
  });
  return fmt::format(
      "A program can have such a symbol once: give one network {}a PREFIX in mlf_add_network, with "
      "[prefix] in the board file.",
      is_named ? "another module name in TVM (relay.build(mod_name=...), tvmc "
                 "--module-name), or "
               : "");
}

Table clashes_table(const std::vector<SymbolClash>& clashes) {
  Table table({"CLASHING SYMBOL", "~ARCHIVES AND MODULES"});
  for (const SymbolClash& one : clashes) {
    std::vector<std::string> places;
    for (std::size_t i = 0; i < one.archives.size(); ++i) {
      places.push_back(one.archives[i] + " " + one.modules[i]);
    }
    table.add({printable(one.symbol), printable(joined(places))}, Emphasis::warning);
  }
  return table;
}

std::string table_of(const CheckResults& results, const Screen& screen) {
  std::string text;
  for (const Table& table : {limits_table(results.limits), findings_table(results.findings),
                             parts_table(results.parts), clashes_table(results.clashes)}) {
    if (!table.empty()) text += (text.empty() ? "" : "\n") + table.text(screen);
  }
  if (!results.clashes.empty()) {
    text += folded(remedy_of(results.clashes), screen, 0) + "\n";
  }
  std::vector<std::string> contradictions;
  for (const auto& [module, one] : results.contradictions) {
    contradictions.push_back(fmt::format("{}: {} [{}]", module, one.detail, one.code));
  }
  return text + titled_lines(kContradicts, contradictions, screen);
}

/// XML 1.0 cannot contain control characters.
std::string xml_text(std::string_view text) {
  return page::escaped(printable(text));
}

std::string failure_of(std::string_view type, const std::string& message, const std::string& text) {
  return fmt::format("<failure type=\"{}\" message=\"{}\">{}</failure>\n", type, xml_text(message),
                     xml_text(text));
}

std::string properties_of(const DocumentOrigin& origin) {
  std::string properties;
  const auto add = [&](std::string_view name, std::string_view value) {
    properties +=
        fmt::format("<property name=\"{}\" value=\"{}\"/>\n", xml_text(name), xml_text(value));
  };
  add("generator", fmt::format("mlf {}", version()));
  add("command", origin.command);
  for (const ArchiveOrigin& one : origin.archives) {
    add("sha256 " + one.archive.name, one.archive.sha256);
    for (const auto* const files : {&one.members, &one.files}) {
      for (const FileDigest& file : *files) {
        add(fmt::format("sha256 {} {}", one.archive.name, file.name), file.sha256);
      }
    }
  }
  return "<properties>\n" + properties + "</properties>\n";
}

std::string junit_of(const CheckResults& results, const std::string& archive,
                     const DocumentOrigin& origin) {
  std::string cases = properties_of(origin);
  std::size_t tests = 0;
  std::size_t failures = 0;
  const auto add = [&](const std::string& module, std::string_view name,
                       const std::string& failure) {
    cases +=
        fmt::format("<testcase classname=\"{}\" name=\"{}\"", xml_text(module), xml_text(name));
    cases += failure.empty() ? "/>\n" : fmt::format(">\n{}</testcase>\n", failure);
    ++tests;
    if (!failure.empty()) ++failures;
  };
  for (const BudgetResult& result : results.limits) {
    const std::string message =
        fmt::format("{} needed, at most {}", amount_text(result.limit, result.needed),
                    amount_text(result.limit, result.limit.most));
    add(result.module, to_string(result.limit),
        result.verdict == Verdict::fits
            ? ""
            : failure_of(to_string(result.verdict), message, joined(result.remarks)));
  }
  for (const FindingResult& result : results.findings) {
    std::string failure;
    for (const CostFinding& one : result.found) {
      const std::string bytes = bytes_text(one.bytes);
      failure += failure_of(
          "finding", bytes.empty() ? one.where : fmt::format("{}: {} bytes", one.where, bytes),
          one.evidence);
    }
    if (result.presence() == Presence::undecided) {
      failure = failure_of("undecided", "not known", joined(result.unsearched));
    }
    add(result.module, code_of(result), failure);
  }
  for (const SymbolClash& one : results.clashes) {
    add(std::string(kAllModules), one.symbol,
        failure_of("symbol-clash", "defined twice", joined(one.archives)));
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
      "<testsuite name=\"{}\" tests=\"{}\" failures=\"{}\">\n{}</testsuite>\n</testsuites>\n",
      xml_text(archive), tests, failures, cases);
}

std::string to_text(const CheckResults& results, const CheckArguments& options,
                    const DocumentOrigin& origin) {
  const std::string& subject = options.board.empty() ? options.archives.front() : options.board;
  const DocumentForm form(JsonLayout::pretty, origin);
  if (options.format == CheckFormat::json) return to_json(results, form);
  if (options.format == CheckFormat::junit) return junit_of(results, subject, origin);
  if (options.format == CheckFormat::sarif) return to_sarif(results, subject, form);
  return table_of(results, screen_of_standard_output());
}

/// Adds the archive to `origin`, if the document states it.
Report report_of_archive(const std::string& archive, const CheckArguments& options,
                         const Context& context, DocumentOrigin& origin) {
  auto [deployment, report] = read_report(archive, options.compiler, options.profiles, context);
  if (options.format != CheckFormat::text) {
    origin.archives.push_back(get_or_throw(deployment.origin()));
  }
  return std::move(report);
}

/// Prints the results. Returns the exit code.
int finish(const CheckResults& results, const CheckArguments& options,
           const DocumentOrigin& origin) {
  print(to_text(results, options, origin));
  return results.all_hold() ? 0 : exit_code(ErrorKind::check_failed);
}

int check_board(const CheckArguments& options, const Context& context) {
  if (!options.limits.empty() || !options.no_findings.empty()) {
    throw Error(ErrorKind::usage,
                "--board takes limits from its file alone: write them into " + options.board);
  }
  const Board board = read_board(options.board);
  std::vector<BoardArchive> archives;
  DocumentOrigin origin{context.words};
  const auto file_name = [](const std::string& path) {
    return std::filesystem::path(path).filename().string();
  };
  for (const std::string& path : options.archives) {
    // Archives of one file name have their paths.
    std::string name = file_name(path);
    if (std::ranges::count(options.archives, name, file_name) > 1) name = path;
    archives.push_back({std::move(name), report_of_archive(path, options, context, origin)});
  }
  return finish(get_or_throw(check(board, archives, library_of(options))), options, origin);
}

int run_check(const CheckArguments& options, const Context& context) {
  if (!options.board.empty()) return check_board(options, context);
  if (options.archives.size() > 1) {
    throw Error(ErrorKind::usage, "several archives need --board FILE");
  }
  check_budget_file(options);
  const BudgetFile file = options.budget.empty() ? BudgetFile() : read_budget(options.budget);
  const Budget budget = with_arguments(file.budget, options);
  if (budget.common.empty() && budget.of_modules.empty()) {
    throw Error(ErrorKind::usage,
                options.budget.empty()
                    ? "nothing to check: give a limit, --no-finding CODE, --budget FILE or --board "
                      "FILE"
                    : "nothing to check: '" + options.budget + "' has no limit");
  }
  const LibraryNeeds library = library_of(options);
  const std::string& archive = options.archives.front();
  DocumentOrigin origin{context.words};
  const Report report = report_of_archive(archive, options, context, origin);
  require_modules(file.budget, report, archive);
  const int code = finish(check(report, budget, library), options, origin);
  if (options.update) {
    const auto limits = lowered(file.budget, report, library);
    update_budget(options.budget, file, limits);
    for (const auto& [module, limit, before] : limits) {
      context.console.note(fmt::format(
          "{}: {}{} {} → {}", options.budget, module == kAllModules ? "" : module + ": ",
          to_string(limit.resource), amount_text({limit.resource, before}, before),
          amount_text(limit, limit.most)));
    }
    if (limits.empty()) context.console.note(options.budget + ": no limit could be lowered");
  }
  return code;
}

}  // namespace

Command check_command(CLI::App& parent) {
  return make_command(
      parent, "check",
      "Check that the networks of an archive fit a budget. N, also with K (1024), M, G or T, "
      "counts bytes, except in --mac, --instructions and --time",
      declare_check_options, run_check);
}

}  // namespace mlf::program
