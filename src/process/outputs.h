// All members that processing one archive makes.
#pragma once

#include <string>
#include <vector>

#include "process/job.h"
#include "process/spool.h"

namespace mlf::process {

/// An output: what goes into the archive under `name`, and the member whose time and owner it gets.
struct Output {
  std::string name;
  const archive::Member* like = nullptr;
  SpooledBytes content;
};

struct Outputs {
  Spool spool;
  /// The manifest is the last one. Empty where the archive holds neither TIR nor a network.
  std::vector<Output> list;
  std::vector<NetworkReport> networks;
};

/// Makes them all, aside. Reads the TIR, and lets go of it. Throws `Error`.
void make_outputs(Job& job, Outputs& outputs);

}  // namespace mlf::process
