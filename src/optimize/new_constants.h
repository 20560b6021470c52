// New constants, and a module that contains them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "edit/edit.h"
#include "mlf/tir/module.h"
#include "optimize/constant_uses.h"

namespace mlf::optimize {

struct NewConstant {
  tir::DType dtype{};        ///< of its elements
  std::uint64_t offset = 0;  ///< in its pool
  bool is_removed = false;   ///< an equal constant of its pool is at `offset`, or nothing reads it
  /// The one element that remains, of type `dtype`; empty if all remain.
  std::vector<std::byte> single{};

  bool is_single() const { return !single.empty(); }
  bool changes(tir::DType element) const { return is_single() || dtype != element; }
};

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

/// An offset or a size that a function states.
struct StatedNumber {
  tir::NodeId integer;        ///< IntImm
  edit::NumberChange change;  ///< `before` and `after` may be equal
  std::string what;           ///< names it in errors
};

/// Returns the offsets of constants in lets and the sizes of constant pools for which `wanted` has
/// a change, in the order of `function`.
std::vector<StatedNumber> stated_numbers(const FunctionSites& function, const NewConstants& wanted);

/// The constants in functions of one module of the archive, and what becomes of them.
struct ConstantsChange {
  const ModuleConstants& constants;
  const NewConstants& wanted;
};

/// Returns `module` with the new constants: element types, data, offsets, and a Cast to the old
/// type around each load. The changes are of different functions of `module`. Throws `Error`
/// (check_failed) if a number or a list of constants that they share would get two values.
tir::Module with_new_constants(tir::Module module, std::span<const ConstantsChange> changes);

}  // namespace mlf::optimize
