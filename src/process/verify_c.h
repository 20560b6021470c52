// Compares generated C with the TIR that was captured while it was generated.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mlf/deployment.h"
#include "mlf/verify.h"

namespace mlf::process {

struct ComparisonWithC {
  /// One for each difference, for each capture of another stage or build, and for each file with
  /// `half`.
  std::vector<VerifyFinding> findings;
  std::size_t functions = 0;  ///< compared
  std::size_t differing = 0;  ///< number of these with a finding
  std::string why_not{};      ///< of the first capture that was not compared
};

/// Compares the two for each module and target that has both.
ComparisonWithC compare_with_c(const Deployment& deployment);

/// Returns a sentence about the contradiction between the generated C and one capture. Empty if
/// there is none, or if there is no C of the capture's module and target.
std::optional<std::string> contradiction_with_c(const Deployment& deployment,
                                                const TirSource& captured);

}  // namespace mlf::process
