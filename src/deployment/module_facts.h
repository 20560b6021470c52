// Facts about the network of each module from members other than TIR.
#pragma once

#include "graph/reconstruct.h"
#include "mlf/archive.h"
#include "mlf/model_library.h"

#include <string_view>
#include <vector>

namespace mlf::deployment {

/// Throws `Error` if the system refuses to read a header.
graph::ModuleFacts facts_of(const archive::Archive& archive, const Module& module);

/// Returns the parameters of `def @main(…)` with static tensor types, including unbound weights.
/// Returns nullopt for a text without main; ignores other parameters.
std::vector<graph::NamedTensor> read_relay_signature(std::string_view text);

/// The parameters in the module's file; none if it cannot be read: v0.9 and later have constants in
/// TIR. Their data is in the archive.
std::vector<Param> parameters_of(const archive::Archive& archive, const Module& module);

}  // namespace mlf::deployment
