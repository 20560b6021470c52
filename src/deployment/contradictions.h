// Finds statements of an archive about a module that cannot all be true: all of them, and in the
// parts that `mlf verify` counts separately.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "mlf/deployment.h"
#include "mlf/inspection.h"

namespace mlf {

/// Returns all contradictions of one module, an index into ModelLibrary::modules: the errors of its
/// network, numbers of metadata.json that are too small, functions whose C differs from captured
/// TIR, and C that no compiler accepts. `network`
/// is null if the module has none. Throws `io`, `invalid_input`.
std::vector<Contradiction> contradictions_of(const Deployment& deployment, std::size_t module,
                                             const graph::Topology* network);

/// Returns the numbers that TVM may add to the pools of a network in `workspace_size_bytes`:
/// allocations of main and the largest workspace of a kernel outside of pools, for each alignment
/// that TVM may round up to. Ascending and unique; includes 0.
std::vector<std::uint64_t> workspaces_beside_pools(const graph::Topology& topology);

/// Returns the bytes of constants in kernels, outside of pools. TVM does not count them in
/// `constants_size_bytes`: lowering removed them from Relay's main.
std::uint64_t bytes_of_kernel_constants(const graph::Topology& topology);

/// Returns the memory of a network with variables of its C, and all that is in the sections of its
/// constants: padding, and constants that nothing reads. TVM counts none of these.
graph::MemoryTotals linked_totals(const graph::Topology& topology);

}  // namespace mlf

namespace mlf::deployment {

/// Returns the workspace of main that metadata.json declares, if at least a lower bound of what its
/// network uses is known. TVM overwrites the numbers of one target by those of another with the
/// same device type.
std::optional<MemoryClaim> comparable_workspace(const Module& module,
                                                const graph::Topology& network);

/// Returns a contradiction if that is less than the network certainly uses.
std::optional<Contradiction> too_small_metadata(const MemoryClaim& workspace,
                                                const graph::Topology& network);

/// A header of the interface that a file includes and no member is.
struct MissingHeader {
  std::string file;
  std::string path;
  std::string similar{};  ///< a member whose name has other capitals
};
/// Returns the first of the module. Throws `Error`.
std::optional<MissingHeader> missing_header(const Deployment& deployment, const Module& module);

/// Returns C of the module that no compiler or linker accepts, file by file. Throws `Error`.
std::vector<Contradiction> invalid_c(const Deployment& deployment, const Module& module);

/// Returns functions of an operator archive whose buffers metadata.json states otherwise than their
/// C has them, or that no C has. Throws `Error`.
std::vector<Contradiction> operator_faults(const Deployment& deployment, std::size_t module);

}  // namespace mlf::deployment
