// Limits as people write them: on the command line, and in a file that is kept beside the sources.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "mlf/budget.h"
#include "mlf/diagnostics.h"

namespace mlf::program {

/// "96K", "2M" or "104192": K is 1024, M 1024 K, G 1024 M. Errors: `usage` for anything else.
Result<std::uint64_t> number_of(std::string_view text);

/// Limits for every module, and those of single modules, which count before them.
struct Budget {
  std::vector<Limit> common;
  std::map<std::string, std::vector<Limit>, std::less<>> of_modules;

  /// Those that a module is held against, in the order of `all_resources`.
  std::vector<Limit> limits_for(std::string_view module) const;
};

/// Reads a file in TOML: `ram`, `flash`, `stack`, `heap` and `mac` for all modules, the same in
/// tables `[modules.NAME]`. Errors: `io`; `invalid_input` with line and column.
Result<Budget> read_budget(const std::string& path);

/// Writes such a file anew, in the order of `all_resources`; comments in it are lost. A file that
/// is there is replaced at once or not at all. Errors: `io`.
Result<void> write_budget(const std::string& path, const Budget& budget);

}  // namespace mlf::program
