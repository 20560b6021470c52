// Decides how the constants of a module change.
#pragma once

#include <cstdint>
#include <string>

#include "mlf/optimize.h"
#include "optimize/c_constants.h"

namespace mlf::optimize {

/// Makes the constants smaller in these ways. Each counts savings relative to those before it.
ConstantSavings make_smaller(CConstants& constants, const Optimizations& what);

/// Undoes all decisions.
void reset(CConstants& constants);

/// Bytes of all constants, with the alignment of pools.
std::uint64_t total_before(const CConstants& constants);
std::uint64_t total_after(const CConstants& constants);

/// Why a constant is larger than its values need; empty if it is not.
std::string why_kept(const CConstants& constants, const CConstant& constant);

}  // namespace mlf::optimize
