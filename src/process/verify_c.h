// Whether generated C says what the TIR says that was captured while it was generated.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mlf/deployment.h"
#include "mlf/verify.h"

namespace mlf::process {

struct ComparisonWithC {
  /// One for each place where they differ, each capture that says something of another time or
  /// build, and each file with `half`.
  std::vector<Finding> findings;
  std::size_t functions = 0;  ///< compared
  std::size_t differing = 0;  ///< of these, with a finding
  std::string why_not{};      ///< of the first capture that was not compared
};

/// Compares them for each module and target that has both.
ComparisonWithC compare_with_c(const Deployment& deployment);

/// How the generated C of the archive contradicts one capture: a sentence, or nothing where it does
/// not, or where there is no C of its module and target.
std::optional<std::string> contradiction_with_c(const Deployment& deployment,
                                                const TirSource& captured);

}  // namespace mlf::process
