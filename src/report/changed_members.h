// The differences of two archives in what `diff` of two reports does not see: bytes of members,
// and values of constants.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "mlf/diff.h"

namespace mlf::report {

/// Symbols of kernels before, by the symbols of their partners after.
using Partners = std::map<std::string, std::string, std::less<>>;

/// Returns the members that differ, by name. `BuildDifference` says what does not count. Throws
/// `Error`.
std::vector<MemberDifference> changed_members(const Deployment& before, const Deployment& after);

/// Returns the constants with other values: those of generated C, of all other TIR and of
/// parameter files, each compared with the same kind of source. A change that two kinds show is
/// listed once. Leaves out sources that cannot be read. Throws `Error`.
std::vector<ConstantDifference> changed_constants(const ComparedBuild& before,
                                                  const ComparedBuild& after,
                                                  const Partners& partners);

}  // namespace mlf::report
