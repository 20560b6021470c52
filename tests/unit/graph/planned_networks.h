// Small networks as the unified static memory planner leaves them: two pools of 64 and 48 bytes.
#pragma once

#include "unit/graph/networks.h"

namespace mlf::graph {

/// Main from `x` to `output` with both default pools: constants (64 bytes) and workspace (48).
std::string planned_main(std::string_view statements);
/// "name_let = T.address_of(global_workspace[offset])".
std::string place(std::string_view name, std::size_t offset);
/// A kernel of two tensors of 16 bytes, with a constant at byte 16 of the pool of constants and 16
/// bytes of workspace from byte 32 on.
std::string planned_unary(std::string_view name);
/// A call of the kernel "tvmgen_default_a", which is given both pools.
std::string planned_call(std::string_view arguments);

}  // namespace mlf::graph
