// All uses of constants in a module: of arrays (AllocateConst), and of constants in pools through
// lets of addresses.
#pragma once

#include <cstdint>
#include <optional>
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

/// A variable of a function that points to a constant.
struct ConstantUse {
  std::string function;  ///< global symbol
  std::string name;      ///< the variable's
  tir::NodeId variable;
  tir::NodeId owner;  ///< AllocateConst, LetStmt, or PrimFunc of a parameter
  tir::NodeId array;  ///< NDArray; none if a let does not point to the beginning of a constant
  std::size_t ordinal = 0;                 ///< among the AllocateConst of the function
  std::optional<std::size_t> parameter{};  ///< index of the function's parameter that it is
  std::string pool{};                      ///< empty for an AllocateConst
  std::uint64_t offset = 0;                ///< in the pool
  tir::DType element{};                    ///< of the constant
  std::vector<tir::NodeId> buffers{};
  std::vector<tir::NodeId> loads{};
  bool spells_elements = false;  ///< its text has some or all of its elements
  bool leaves_array = false;     ///< an index may be outside of it
  /// Why its loads cannot get another type; else empty.
  std::string kept{};
};

/// A constant in a pool, as one function lists it.
struct PoolConstant {
  std::string name;
  std::uint64_t offset = 0;
  tir::NodeId info;   ///< ConstantInfo
  tir::NodeId array;  ///< NDArray; a placeholder if the text leaves it out
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

/// Parameters of functions that are constants of the caller: global symbol and index.
using ConstantParameters = std::set<std::pair<std::string, std::size_t>>;

/// Finds the uses in `functions` of `module`. `pools` are further names of constant pools, as texts
/// may leave out the contents of pools.
ModuleConstants constants_of(const tir::Module& module,
                             std::span<const tir::NamedFunction> functions,
                             std::set<std::string, std::less<>> pools = {},
                             const ConstantParameters& parameters = {});

}  // namespace mlf::optimize
