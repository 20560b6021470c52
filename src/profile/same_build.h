// Whether a profile is of the network that its numbers are shown with, and of which code.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "mlf/deployment.h"
#include "mlf/profile.h"

namespace mlf::profile {

/// SHA-256 over names, sizes and contents of the C and the objects of a module, by its index: what
/// is compiled and linked for a profile. Throws `Error` where a member cannot be read.
std::string code_digest(const Deployment& deployment, std::size_t module);

/// Throws `Error` (`usage`) unless the profile has these kernels, one for each call, and the C of
/// the module, by its index, is what ran. A profile that does not say what ran may be of any C.
void require_same_build(const Profile& profile, const Deployment& deployment, std::size_t module,
                        std::span<const std::string> kernels);

/// One sentence: what counted or measured the numbers.
std::string origin_of(const Profile& profile);

}  // namespace mlf::profile
