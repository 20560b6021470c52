// Compares generated C with the TIR that was captured while it was generated.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mlf/deployment.h"
#include "mlf/verify.h"

namespace mlf::process {

struct ComparisonWithC {
  /// One for each difference, each capture of another stage or build, and each file with `half`.
  std::vector<Finding> findings;
  std::size_t functions = 0;  ///< compared
  std::size_t differing = 0;  ///< of these, with a finding
  std::string why_not{};      ///< of the first capture that was not compared
};

/// Compares the two for each module and target that has both.
ComparisonWithC compare_with_c(const Deployment& deployment);

/// Returns a sentence that says how the generated C contradicts one capture. Empty if it does not,
/// or if there is no C of its module and target.
std::optional<std::string> contradiction_with_c(const Deployment& deployment,
                                                const TirSource& captured);

}  // namespace mlf::process
