// Whether generated C says what the TIR says that was captured while it was generated.
#pragma once

#include <vector>

#include "mlf/deployment.h"
#include "mlf/verify.h"

namespace mlf::process {

struct ComparisonWithC {
  std::vector<Finding>
      findings;               ///< one for each place where they differ, and each file with `half`
  std::size_t functions = 0;  ///< compared
  std::size_t differing = 0;  ///< of these, with a finding
};

/// Compares them for each module and target that has both.
ComparisonWithC compare_with_c(const Deployment& deployment);

}  // namespace mlf::process
