// The differences of two archives in what `diff` of two reports does not see: bytes of members,
// and values of constants.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "mlf/diff.h"

namespace mlf::report {

/// The kernel of the first build that a kernel of the second one is paired with.
struct Partner {
  std::string before;     ///< its symbol
  bool is_moved = false;  ///< their programs are equal, their names or files are not
};
using Partners = std::map<std::string, Partner, std::less<>>;  ///< by symbol after

/// Returns the members that differ, by name. `BuildDifference` says what does not count. Throws
/// `Error`.
std::vector<MemberDifference> changed_members(const Deployment& before, const Deployment& after);

/// Returns the constants with other values, in the order of the second build. Pairs them by kernel
/// and name; of names that differ in numbers alone, in their order.
std::vector<ConstantDifference> changed_constants(const Report& before, const Report& after,
                                                  const Partners& partners);

}  // namespace mlf::report
