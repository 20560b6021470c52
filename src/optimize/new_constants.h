// New constants in all representations of a module.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "edit/edit.h"
#include "optimize/constant_uses.h"
#include "optimize/tir_changes.h"

namespace mlf::optimize {

/// The new constants of one module of the archive, for all of its representations.
struct NewConstants {
  /// By pool and old offset.
  std::map<std::pair<std::string, std::uint64_t>, NewConstant> in_pools;
  std::map<std::string, edit::NumberChange, std::less<>> pool_sizes;
  /// Of the caller, by global symbol and index of the parameter.
  std::map<std::pair<std::string, std::size_t>, NewConstant> parameters;
  /// By global symbol: the AllocateConst of a function, in the order of its text.
  std::map<std::string, std::vector<NewConstant>, std::less<>> arrays;

  /// Null if the use does not change.
  const NewConstant* of(const ConstantUse& use) const;
  const NewConstant* of(const ConstantPool& pool, const PoolConstant& constant) const;
};

/// Adds what `wanted` has for the constants in functions of one module of the archive. Both must
/// outlive the changes. Throws `Error` (check_failed) if these have another value for a number or a
/// list of constants.
void add_changes(const ModuleConstants& constants, const NewConstants& wanted, TirChanges& changes);

}  // namespace mlf::optimize
