// Lowers limits in a budget file: replaces numbers in place and changes nothing else.
#pragma once

#include <string>
#include <vector>

#include "commands/budget_file.h"

namespace mlf::program {

/// A lower limit on one module.
struct ModuleLimit {
  std::string module;  ///< or `kAllModules`, for which the file has one
  Limit limit;
  std::optional<std::uint64_t> before{};  ///< nothing: the file had none
};

/// Writes `limits` into tables `[modules.NAME]` of the file that was read from `path`: replaces the
/// number, or adds a line. Keeps comments and layout. Replaces the file atomically; does not write
/// it without limits. Throws `Error`: `io`; `invalid_input` if the layout has no place for a limit.
void update_budget(const std::string& path, const BudgetFile& file,
                   const std::vector<ModuleLimit>& limits);

}  // namespace mlf::program
