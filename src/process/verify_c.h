// Whether generated C says what the TIR says that was captured while it was generated.
#pragma once

#include <vector>

#include "mlf/verify.h"
#include "process/job.h"

namespace mlf::process {

/// One finding for each place where they differ, of each module and target that has both.
std::vector<Finding> differences_from_c(const Job& job);

}  // namespace mlf::process
