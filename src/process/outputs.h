// Makes all output members of one archive.
#pragma once

#include <string>
#include <vector>

#include "process/job.h"
#include "process/spool.h"

namespace mlf::process {

/// An output: its content and `name`, and the member whose time and owner it gets.
struct Output {
  std::string name;
  const archive::Member* like = nullptr;
  SpooledBytes content;
};

struct Outputs {
  Spool spool;
  /// The manifest is the last one. Empty if the archive has neither TIR nor a network.
  std::vector<Output> list;
  std::vector<NetworkReport> networks;
};

/// Makes all outputs in a spool. Reads the TIR, and releases it. Throws `Error`.
void make_outputs(Job& job, Outputs& outputs);

}  // namespace mlf::process
