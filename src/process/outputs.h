// All members that processing one archive makes.
#pragma once

#include <vector>

#include "process/job.h"
#include "process/render.h"
#include "process/spool.h"

namespace mlf::process {

struct Outputs {
  Spool spool;
  /// The manifest comes last: whoever finds it finds what it lists. Empty where the archive holds
  /// neither TIR nor a network.
  std::vector<Output> list;
  std::vector<NetworkReport> networks;
};

/// Makes them all, aside. Reads the TIR, and lets go of it. Throws `Error`.
void make_outputs(Job& job, Outputs& outputs);

}  // namespace mlf::process
