// Parameters of the graph executor: constants in parameters/<m>.params, which the executor loads
// and passes to kernels.
#pragma once

#include <cstddef>
#include <vector>

#include "edit/edited_archive.h"
#include "mlf/deployment.h"
#include "mlf/optimize.h"

namespace mlf::optimize {

/// Gives parameters of a module smaller types: in their file, in the executor's graph, in the loads
/// of the kernels that receive them, and in metadata.json. Returns those that fit a smaller type.
///
/// A type changes if the network uses the parameter only as an argument of kernels, and each kernel
/// receives only parameters of that type as this argument and loads single elements from it. Reads
/// the result again: C, network and parameters must be the old ones with these changes. Otherwise
/// throws `Error` (check_failed) and leaves `edited` unchanged.
std::vector<OptimizedConstant> narrow_parameters(const Deployment& deployment, std::size_t module,
                                                 const graph::Topology* network,
                                                 edit::EditedMembers& edited,
                                                 const DeploymentOptions& options);

}  // namespace mlf::optimize
