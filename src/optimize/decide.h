// Decides how the constants of a module change.
#pragma once

#include "optimize/c_constants.h"

namespace mlf::optimize {

/// The pool that has the constant; null for an array.
const CPoolOfConstants* pool_of(const CConstants& constants, const CConstant& constant);

/// Undoes all decisions.
void reset(CConstants& constants);

/// Removes constants that nothing reads. A pool of nothing else keeps one element.
void drop_unused(CConstants& constants);

/// Leaves one element of each constant whose elements are equal and whose every use is a load, if
/// it then takes less memory with its alignment.
void collapse(CConstants& constants);

/// Gives each constant whose every use is a load the smallest type that holds its values, if it
/// then takes less memory with its alignment.
void narrow(CConstants& constants);

/// Stores equal constants of a pool once.
void share(CConstants& constants);

/// Assigns the remaining constants of each pool the offsets that the compiler will give them. Keeps
/// a pool that would not become smaller.
void lay_out_pools(CConstants& constants);

}  // namespace mlf::optimize
