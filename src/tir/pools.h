// The memory pools of TVM's unified static memory planner (USMP), as functions mention them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "mlf/tir/module.h"

namespace mlf::tir {

/// "global_workspace" of "global_workspace_1_var": USMP's name of a pool parameter, with a counter
/// over all functions. Empty for other names.
std::string_view pool_name(std::string_view parameter);

/// A pool that a function uses.
struct PoolUse {
  Node allocated;         ///< the AllocatedPoolInfo in `pool_args`
  std::string_view name;  ///< by the parameter that is the pool; empty if none is it for certain
};

/// The pools of a PrimFunc, in the order of its attribute `pool_args`.
std::vector<PoolUse> pool_uses(Node function);

/// The place of a ConstantInfo in its pool; nothing if it is not known.
std::optional<std::uint64_t> pool_offset(Node constant);

}  // namespace mlf::tir
