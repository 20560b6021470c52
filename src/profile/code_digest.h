// Tells the code of one build from that of another.
#pragma once

#include <cstddef>
#include <string>

#include "mlf/deployment.h"

namespace mlf::profile {

/// SHA-256 over names, sizes and contents of the C and the objects of a module, by its index: what
/// is compiled and linked for a profile. Throws `Error` where a member cannot be read.
std::string code_digest(const Deployment& deployment, std::size_t module);

}  // namespace mlf::profile
