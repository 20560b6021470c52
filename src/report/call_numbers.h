// The sources of the measures of a call.
#pragma once

#include "mlf/analysis/cost.h"
#include "mlf/report.h"

namespace mlf::report {

/// For a kernel without TIR.
const analysis::KernelCost& unknown_cost();

CallNumbers call_numbers(const analysis::KernelCost& cost, const analysis::CallMemory& memory,
                         const CallTimes& times);

}  // namespace mlf::report
