// The signature of Relay's main in src/<m>.relay: the only place of a stock archive that states
// the shapes of its inputs.
#pragma once

#include <string_view>
#include <vector>

#include "graph/reconstruct.h"

namespace mlf::deployment {

/// The parameters of `def @main(…)` with static tensor types, weights that were not bound included.
/// Nothing for a text without it; what is not such a parameter is passed over.
std::vector<graph::NamedTensor> read_relay_signature(std::string_view text);

}  // namespace mlf::deployment
