// The steps from main to a network: its calls and values, types from both ends of an edge,
// comparison with Relay's main of the same build, and checks of the whole.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "graph/kernels/functions.h"
#include "graph/kernels/kernels.h"
#include "graph/main/main_body.h"
#include "graph/main/parameters.h"
#include "mlf/graph/topology.h"
#include "mlf/tir/module.h"

namespace mlf::graph {

// --- Calls and values (rule `directions` of schemas/topology.md) ---------------------------------

struct Decision {
  Direction direction = Direction::unknown;
  DecidedBy by = DecidedBy::body;
  Certainty certainty = Certainty::certain;
};

/// Directions found in calls of functions without TIR: by symbol, for each tensor.
using KnownDirections = std::map<std::string, std::vector<std::optional<Decision>>, std::less<>>;

/// Makes the calls, values and storages of the network from the steps of main. Reads and extends
/// `known`.
void follow_main(Topology& topology, const MainBody& body, const ParameterTable& parameters,
                 KernelLibrary& kernels, KnownDirections& known);

// --- Types (rule `edge-shapes` of schemas/topology.md) ------------------------------------------

/// Gives flattened tensors the shapes from Relay's main (null: unknown) and from main's own
/// declarations.
void restore_shapes(Topology& topology, const Topology* relay);

/// Gives tensors without dimensions those that calls of library functions state.
void take_stated_shapes(Topology& topology, KernelLibrary& kernels);

/// Gives tensors without a dtype that of their readers, if the writer states how many bytes it
/// writes.
void take_written_sizes(Topology& topology, KernelLibrary& kernels);

/// Completes types and sizes that one end of an edge does not know from the other end.
void complete_types(Topology& topology);

/// Kernels that copy in order are reshapes only if both tensors have the same size in every call.
void confirm_reshapes(Topology& topology);

/// Sets the sizes of constants in pools, which state none, if no read determines them: those that
/// main's attribute `pool_args` has.
void size_pool_constants(Topology& topology, std::span<const PoolConstant> constants);

/// Checks that none of these constants is read beyond its end.
void check_pool_constants(Topology& topology, std::span<const PoolConstant> constants);

// --- The second opinion: Relay's main in A-normal form, from before memory planning ------------

/// The network in `main_func_info` of an IRModule; nullopt if the module has none, or has it in
/// another form than TVM's: lets of calls, tuples, their elements and constants.
std::optional<Topology> relay_main(tir::Node module);

// --- Checks (rules `edge-shapes`, `external-functions`, `storage`, `reads-and-writes`) -----------

/// Storages that functions without TIR receive: these may read them, write them, or both.
std::set<StorageId> storages_of_externals(const Topology& topology);

/// Checks for unread values, contradictory sizes, and tensors that do not fit or overlap.
void check_values(Topology& topology);

/// Checks that the graph executor overwrites no value that is still in use.
void check_storages(Topology& topology);

/// The code of a kernel of the topology; null without its TIR.
using CodeOf = std::function<const KernelCode*(KernelId)>;
/// Checks that no call reads an input after it has written a result over it.
void check_results_in_place(Topology& topology, const CodeOf& code_of);

/// The parameters of a kernel of the topology; none without its TIR.
using ParametersOf = std::function<std::span<const KernelParameter>(KernelId)>;

/// The bytes of a value that calls certainly access: the most of any call. Nothing where one call
/// is not known.
std::optional<std::uint64_t> accessed_bytes(const Topology& topology, const Value& value,
                                            const ParametersOf& parameters_of);

/// Whether no C has one of the types for the other: it may store booleans in bytes, and 16-bit
/// floating-point numbers as integers.
bool are_other_types(tir::DType a, tir::DType b);

/// Calls whose kernel writes into a pool of constants, which is in read-only memory.
void check_constant_pools(Topology& topology, KernelLibrary& kernels);

/// Sets the least sizes of inputs whose sizes nothing states.
void take_least_sizes(Topology& topology, const ParametersOf& parameters_of);

/// Gives inputs the sizes that calls access, if the archive states that inputs and outputs have no
/// more together.
void confirm_least_sizes(Topology& topology, std::uint64_t io_bytes);

/// Inputs and outputs with another size in the C header than calls certainly access. That they
/// access fewer bytes than something else states as well, is no contradiction.
void check_header_sizes(Topology& topology, std::span<const NamedTensor> header,
                        std::span<const PortPlan> ports, const ParametersOf& parameters_of);

/// Inputs and outputs that metadata.json or a graph states otherwise than the network has them.
void check_stated_ports(Topology& topology, const ModuleFacts& facts,
                        const ParametersOf& parameters_of);

/// What the entry point passes for main's parameters under the name of another one, or does not
/// have.
void check_passed_names(Topology& topology, const ModuleFacts& facts, tir::Node main);

/// Functions of this module that main does not call.
void check_unused_kernels(Topology& topology, const FunctionTable& functions,
                          const FunctionRef& main);

/// Functions without TIR, whose directions are inferred (rule `external-functions`).
void check_externals(Topology& topology);

/// Two mains of one module always contradict each other (rule `main-function`).
void check_several_mains(std::vector<Topology>& topologies);

}  // namespace mlf::graph
