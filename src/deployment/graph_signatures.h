// What the graph executor's JSON says of the kernels it calls.
#pragma once

#include <vector>

#include "mlf/archive.h"
#include "mlf/model_library.h"
#include "mlf/tir/c.h"

namespace mlf::deployment {

/// Types of the kernels' parameters, by the module's graph. None where the module has no graph, or
/// one that cannot be read: whoever wants the network says so. Throws `Error` where the archive
/// cannot be read.
std::vector<tir::CSignature> graph_signatures(const archive::Archive& archive,
                                              const Module& module);

}  // namespace mlf::deployment
