// What the members of an archive beside its TIR say about the network of each module.
#pragma once

#include "mlf/archive.h"
#include "mlf/graph/reconstruct.h"
#include "mlf/model_library.h"

namespace mlf::deployment {

/// The module's name as symbols carry it: everything but letters and digits becomes `_`.
std::string symbol_part(std::string_view module_name);

/// Throws `Error` where the system refuses to read a header.
graph::ModuleFacts facts_of(const archive::Archive& archive, const Module& module);

}  // namespace mlf::deployment
