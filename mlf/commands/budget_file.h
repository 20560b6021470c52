// Limits and unwanted findings, from the command line and from a file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mlf/budget.h"
#include "mlf/diagnostics.h"

namespace mlf::program {

/// "96K", "2M" or "104192": K is 1024, M 1024 K, G 1024 M. Errors: `usage` for anything else.
Result<std::uint64_t> number_of(std::string_view text);

/// A limit of a resource: that, or for time "50ms", with ns, us, ms or s; without a unit
/// nanoseconds. Errors: `usage`.
Result<std::uint64_t> amount_of(Resource resource, std::string_view text);

/// A budget and its text.
struct BudgetFile {
  std::string text;
  Budget budget;
};

/// Reads a file in TOML: limits by the names of resources.def for all modules, and `no-finding`, a
/// list of codes of findings; the same in tables `[modules.NAME]`. Throws `Error`: `io`;
/// `invalid_input` with line and column.
BudgetFile read_budget(const std::string& path);

/// Reads a board in TOML: `in_turn`, and tables `[memory.NAME]` with `bytes` and `holds`. Throws as
/// `read_budget`.
Board read_board(const std::string& path);

/// A lower number for a limit that the file has.
struct ModuleLimit {
  std::string module;  ///< of its table, or `kAllModules`
  Limit limit;
  std::uint64_t before = 0;
};

/// Replaces the numbers of these limits in the file that was read from `path`, and keeps comments
/// and layout. Replaces the file atomically; does not write it without limits. Throws `Error`:
/// `io`.
void update_budget(const std::string& path, const BudgetFile& file,
                   const std::vector<ModuleLimit>& limits);

}  // namespace mlf::program
