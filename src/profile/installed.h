// Programs of other packages.
#pragma once

#include <string>
#include <string_view>

namespace mlf::profile {

/// Throws `Error` (usage) with the packages of Debian that have the program, if it is not in $PATH.
void require_program(const std::string& name, std::string_view packages);

/// The line with the version that a compiler prints for -v; empty if it prints none.
std::string version_of(const std::string& compiler);

}  // namespace mlf::profile
