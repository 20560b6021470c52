// All places in TIR that depend on the plan of a memory pool: lets of buffers, and sizes of pools.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mlf/tir/module.h"

namespace mlf::optimize {

/// `variable = address_of(buffer[offset])`.
struct LetSite {
  std::string variable;
  std::string pool;
  tir::NodeId offset;  ///< the IntImm
  std::uint64_t value = 0;
  tir::NodeId let;  ///< the LetStmt
};

/// The number of bytes of a pool: in the shape of its buffer, in the shape of the tensor that a
/// packed call makes of it, or in its entry in `pool_args`.
struct SizeSite {
  std::string pool;
  tir::NodeId size;  ///< the IntImm
  std::uint64_t value = 0;
  bool is_listed = false;  ///< in `pool_args`
};

/// A pool that a call passes to a function.
struct PoolArgument {
  std::string callee;
  std::string pool;
  std::size_t parameter = 0;  ///< index among those of the callee
};

struct FunctionSites {
  std::string symbol;  ///< global symbol, or the name if it has none
  std::string name;    ///< in the module
  tir::NodeId function;
  std::vector<LetSite> lets;    ///< in the order of the text
  std::vector<SizeSite> sizes;  ///< those of main and the kernels, in no order that matters
  std::map<std::size_t, std::string> pools;  ///< those of its parameters, by index
  std::set<std::string> callees;             ///< functions that it passes a pool to
  std::vector<PoolArgument> arguments;       ///< of these calls and of packed calls

  /// Whether the parameter with this index is the pool.
  bool takes(std::string_view pool, std::size_t parameter) const;
};

/// Returns the sites of the pools `pools`, for each of `functions` that has any. Throws `Error`
/// (check_failed) if a pool is used in a way that TVM's planner does not generate, so that the
/// bytes are unknown.
std::vector<FunctionSites> sites_of(std::span<const tir::NamedFunction> functions,
                                    const std::set<std::string, std::less<>>& pools);

}  // namespace mlf::optimize
