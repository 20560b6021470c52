// The new plan by function and by order of lets: representations of one function use different
// variable names (`compute.global_let`, `compute_global_let_2`), but the same order.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "edit/edit.h"
#include "mlf/deployment.h"
#include "optimize/moves.h"
#include "optimize/pool_sites.h"
#include "optimize/tir_changes.h"

namespace mlf::optimize {

/// Names of the pools of one module.
using PoolSet = std::set<std::string, std::less<>>;

/// A let of a pool, and its old and new offset.
struct AssignedLet {
  std::string variable;  ///< in the TIR that the moves name
  std::string pool;
  std::uint64_t old_offset = 0;
  std::uint64_t new_offset = 0;
};

/// One module's moves, found in the TIR that they name.
struct ModuleAssignment {
  std::size_t module = 0;
  PoolSet pools;
  std::map<std::string, edit::NumberChange, std::less<>> sizes;
  std::map<std::string, std::vector<AssignedLet>, std::less<>> lets;  ///< by symbol

  /// Whether a function belongs to this module: other modules in the same TIR may have pools with
  /// the same names.
  std::set<std::string, std::less<>> symbols;
  bool has_function(std::string_view symbol) const { return symbols.contains(symbol); }

  /// Bytes that all pools save; negative if they grow.
  std::int64_t saved() const;
  std::uint64_t old_total() const;
};

/// Finds every buffer of the moves of one module in the functions of its TIR. Throws `Error`
/// (check_failed) if a buffer is missing in the TIR or in the moves, or has another offset.
ModuleAssignment assign(std::size_t module, std::span<const PoolMove> moves,
                        const std::vector<FunctionSites>& functions);

/// Returns every number of a function that belongs to the plan, in any representation. Throws as
/// above if they differ from the assignment.
std::vector<StatedNumber> site_values(const ModuleAssignment& assignment,
                                      const FunctionSites& function);

}  // namespace mlf::optimize
