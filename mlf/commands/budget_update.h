// Lowering limits in a budget file: numbers change where they are written, everything else in the
// file stays as it is.
#pragma once

#include <string>
#include <vector>

#include "commands/budget_file.h"

namespace mlf::program {

/// A limit on one module.
struct ModuleLimit {
  std::string module;
  Limit limit;
};

/// Writes `limits` into tables `[modules.NAME]` of the file that was read from `path`: over the
/// number that is there, else as a new line. Comments and layout stay. The file is replaced at once
/// or not at all; without limits it is left alone. Throws `Error`: `io`; `invalid_input` where the
/// layout has no place for a limit.
void update_budget(const std::string& path, const BudgetFile& file,
                   const std::vector<ModuleLimit>& limits);

}  // namespace mlf::program
