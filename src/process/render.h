// Makes the outputs of one TIR source.
#pragma once

#include <string>
#include <vector>

#include "mlf/deployment.h"
#include "mlf/process.h"
#include "process/manifest.h"
#include "process/spool.h"

namespace mlf::process {

/// An output: what goes into the archive under `name`, and the member whose time and owner it gets.
struct Output {
  std::string name;
  const archive::Member* like = nullptr;
  Piece content;
};

struct Rendering {
  std::vector<Output> outputs;  ///< the tir-N.json first
  ManifestTir entry;
};

/// Reads `source` and writes its JSON, and constants beside it, into `spool`. `metadata` gives time
/// and owner where the source is no member. Throws `Error`.
Rendering render(const TirSource& source, const ModelLibrary& library,
                 const archive::Member& metadata, const ProcessOptions& options, Spool& spool);

}  // namespace mlf::process
