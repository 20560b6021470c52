// What the members of an archive beside its TIR say about the network of each module.
#pragma once

#include "graph/reconstruct.h"
#include "mlf/archive.h"
#include "mlf/model_library.h"

#include <string_view>
#include <vector>

namespace mlf::deployment {

/// Throws `Error` where the system refuses to read a header.
graph::ModuleFacts facts_of(const archive::Archive& archive, const Module& module);

/// The parameters of `def @main(…)` with static tensor types, weights that were not bound included.
/// Nothing for a text without it; what is not such a parameter is passed over.
std::vector<graph::NamedTensor> read_relay_signature(std::string_view text);

}  // namespace mlf::deployment
