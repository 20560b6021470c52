// Limits, and findings that nobody wants, as people write them: on the command line, and in a file
// that is kept beside the sources.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "mlf/budget.h"
#include "mlf/diagnostics.h"
#include "mlf/report.h"

namespace mlf::program {

/// "96K", "2M" or "104192": K is 1024, M 1024 K, G 1024 M. Errors: `usage` for anything else.
Result<std::uint64_t> number_of(std::string_view text);

/// What is asked of a module.
struct Demands {
  std::vector<Limit> limits{};
  std::vector<CostFindingCode> no_findings{};
  Location where{};  ///< the module's name in the file

  bool empty() const noexcept { return limits.empty() && no_findings.empty(); }
};

/// Demands on every module, and on single modules.
struct Budget {
  Demands common;
  std::map<std::string, Demands, std::less<>> of_modules;

  /// What a module is held against: limits of its own count before common ones, findings are
  /// unwanted by either. In the orders of `all_resources` and `all_cost_findings`.
  Demands demands_on(std::string_view module) const;
};

/// The finding that a code names. Errors: `usage`, with all codes that there are.
Result<CostFindingCode> finding_named(std::string_view code);

/// A budget and the text that says it.
struct BudgetFile {
  std::string text;
  Budget budget;
};

/// Reads a file in TOML: limits by the names of resources.def for all modules, and `no-finding`, a
/// list of codes of findings; the same in tables `[modules.NAME]`. Errors: `io`;
/// `invalid_input` with line and column.
Result<BudgetFile> read_budget(const std::string& path);

/// The same of a text; `path` is what errors call it.
Result<Budget> parse_budget(std::string_view text, const std::string& path);

}  // namespace mlf::program
