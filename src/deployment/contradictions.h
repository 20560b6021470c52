// What an archive says about a module and cannot all be true, as a whole and in the parts that
// `mlf verify` counts apart.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "mlf/deployment.h"
#include "mlf/inspection.h"

namespace mlf {

/// All of one module, an index into ModelLibrary::modules: the errors of its network, numbers of
/// metadata.json that are smaller than what certainly runs, and C that no compiler takes.
/// `network`: null where the module has none. Errors: `io`, `invalid_input`.
Result<std::vector<Contradiction>> contradictions_of(const Deployment& deployment,
                                                     std::size_t module,
                                                     const graph::Topology* network);

/// What TVM may count beside the pools of a network in `workspace_size_bytes`: allocations of main
/// and the largest workspace of a kernel outside of pools, by each alignment that it may round them
/// up to. Ascending, each once, and 0 is one of them.
std::vector<std::uint64_t> workspaces_beside_pools(const graph::Topology& topology);

/// Bytes of arrays of constants in kernels, outside of pools. TVM does not count them in
/// `constants_size_bytes`: lowering has taken them out of Relay's main.
std::uint64_t bytes_of_kernel_constants(const graph::Topology& topology);

}  // namespace mlf

namespace mlf::deployment {

/// metadata.json declares less workspace of main than its network certainly uses. Nothing also
/// where that is not known: TVM overwrites the numbers of one target by those of another of its
/// device type.
std::optional<Contradiction> too_small_metadata(const Module& module,
                                                const graph::Topology& network);

/// What of its memory cannot be right in the generated C of a module whose network was read off
/// captured TIR: C is what runs. Throws `Error`.
std::vector<graph::Check> errors_of_c(const Deployment& deployment, std::size_t module,
                                      const graph::Topology& network);

/// C of the module that no compiler takes, file by file. Throws `Error`.
std::vector<Contradiction> invalid_c(const Deployment& deployment, const Module& module);

}  // namespace mlf::deployment
