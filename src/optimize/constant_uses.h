// All uses of constants in a module: of arrays (AllocateConst), and of constants in pools through
// lets of addresses.
#pragma once

#include <compare>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mlf/tir/module.h"
#include "optimize/pool_sites.h"

namespace mlf::optimize {

/// Notes why something stays as it is: the first reason counts.
inline void keep(std::string& kept, std::string why) {
  if (kept.empty()) kept = std::move(why);
}

/// What all representations of a module call a constant.
struct ConstantKey {
  std::string pool;           ///< that it is in; empty for others
  std::string function;       ///< global symbol; empty for a constant in a pool
  bool is_parameter = false;  ///< of the function; a constant of its caller
  /// Its offset in the pool; else its index among the AllocateConst or parameters of the function.
  std::uint64_t number = 0;
  friend auto operator<=>(const ConstantKey&, const ConstantKey&) = default;

  static ConstantKey in_pool(std::string pool, std::uint64_t offset) {
    return {.pool = std::move(pool), .function = {}, .number = offset};
  }
  static ConstantKey parameter(std::string function, std::size_t index) {
    return {.pool = {}, .function = std::move(function), .is_parameter = true, .number = index};
  }
};

/// A variable of a function that points to a constant.
struct ConstantUse {
  ConstantKey key;
  std::string function;  ///< global symbol
  std::string name;      ///< the variable's
  tir::NodeId variable;
  tir::NodeId owner;     ///< AllocateConst, LetStmt, or PrimFunc of a parameter
  tir::NodeId array;     ///< NDArray; none if a let does not point to the beginning of a constant
  tir::DType element{};  ///< of the constant
  std::vector<tir::NodeId> buffers{};
  std::vector<tir::NodeId> loads{};
  bool spells_elements = false;  ///< its text has some or all of its elements
  bool leaves_array = false;     ///< an index may be outside of it
  /// Why its loads cannot get another type; else empty.
  std::string kept{};

  /// Whether the function declares the constant and does not use it.
  bool is_unread() const {
    return key.pool.empty() && !key.is_parameter && loads.empty() && kept.empty();
  }
};

/// A constant in a pool, as one function lists it.
struct PoolConstant {
  std::string name;
  std::uint64_t offset = 0;
  tir::NodeId stated;  ///< the offset's IntImm
  tir::NodeId info;    ///< ConstantInfo
  tir::NodeId array;   ///< NDArray; a placeholder if the text leaves it out
};

/// The ConstantPoolInfo of a pool. Functions may share one or have one each.
struct ConstantPool {
  std::string name;
  tir::NodeId info;
  std::vector<PoolConstant> constants;
};

struct ModuleConstants {
  std::vector<ConstantUse> uses;     ///< in the order of functions and of their text
  std::vector<ConstantPool> pools;   ///< one for each info
  std::vector<FunctionSites> sites;  ///< of functions with constant pools
  /// Why the constants that functions read from pools are unknown; else empty.
  std::string pools_kept{};
};

/// Whether a function has a statement that stayed text, as mlf cannot read it.
bool has_text(tir::Node function);
/// Says so.
std::string unread_statement_of(std::string_view function);

/// Finds the uses in `functions` of `module`. `pools` are further names of constant pools, as texts
/// may leave out the contents of pools. `parameters` are those that are constants of the caller.
ModuleConstants constants_of(const tir::Module& module,
                             std::span<const tir::NamedFunction> functions,
                             std::set<std::string, std::less<>> pools = {},
                             const std::set<ConstantKey>& parameters = {});

}  // namespace mlf::optimize
