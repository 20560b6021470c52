// Programs of other packages.
#pragma once

#include <string>
#include <string_view>

namespace mlf::profile {

/// If a program is not in $PATH, throws `Error` (usage), which names its packages of Debian.
void require_program(const std::string& name, std::string_view packages);

/// The line with the version that a compiler prints for -v; empty if it prints none.
std::string version_of(const std::string& compiler);

}  // namespace mlf::profile
