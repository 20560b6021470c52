// What the members of an archive beside its TIR say about the network of each module.
#pragma once

#include "graph/reconstruct.h"
#include "mlf/archive.h"
#include "mlf/model_library.h"

namespace mlf::deployment {

/// Throws `Error` where the system refuses to read a header.
graph::ModuleFacts facts_of(const archive::Archive& archive, const Module& module);

}  // namespace mlf::deployment
