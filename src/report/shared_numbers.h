// What files of reports share: the numbers of a call, parts of what a module needs, and verdicts on
// numbers with bounds.
#pragma once

#include <string>
#include <vector>

#include "mlf/analysis/cost.h"
#include "mlf/budget.h"
#include "mlf/report.h"

namespace mlf::report {

/// For a kernel without TIR.
const analysis::KernelCost& unknown_cost();

CallNumbers call_numbers(const analysis::KernelCost& cost, const analysis::CallMemory& memory,
                         const CallTimes& times);

/// The number without a part of it. The bounds are wide if the two depend on each other.
analysis::Count without(const analysis::Count& all, const analysis::Count& part);

/// The larger one of each of the two bounds.
analysis::Count larger(const analysis::Count& a, const analysis::Count& b);

/// Writable sections of the compiled C other than pools.
analysis::Count static_data(const ModuleReport& module);

/// "'kernel': why"
std::string about_kernel(const KernelReport& kernel, const std::string& why);

/// Whether a workspace pool is a variable of the module's C or objects, and not the application's.
bool is_own(const ModuleReport& module, const graph::Pool& pool);

/// Whether its code calls functions that are not in the archive.
bool needs_library(const ModuleReport& module);

/// Whether nothing speaks against the bounds of a module. If an archive contradicts itself, they
/// may be too large or too small.
bool is_certain(const ModuleReport& module);

/// Without remarks. A number with bounds fits only if its upper bound fits and is certain.
BudgetResult result_of(std::string module, const Limit& limit, const analysis::Count& needed,
                       bool is_certain);

/// The excess over the limit, or the reason why it is unknown.
std::string shortfall(const BudgetResult& result);

/// The missing facts that would decide a limit, and how to provide them.
std::vector<std::string> what_is_missing(const ModuleReport& module, const LibraryNeeds& library,
                                         Resource resource);

}  // namespace mlf::report
