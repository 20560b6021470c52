// What follows for a network once its edges are known: types from both ends of an edge, Relay's
// view of the same build, and checks of the whole.
#pragma once

#include <optional>
#include <vector>

#include "graph/kernels/functions.h"
#include "graph/kernels/kernels.h"
#include "mlf/graph/topology.h"
#include "mlf/tir/module.h"

namespace mlf::graph {

// --- Types (rule `edge-shapes` of schemas/topology.md) ------------------------------------------

/// Gives flattened tensors the shapes that Relay's main (null: unknown) and main's own declarations
/// have for them.
void restore_shapes(Topology& topology, const Topology* relay);

/// Gives tensors without dimensions those that the functions of a library are told of them.
void take_stated_shapes(Topology& topology, KernelLibrary& kernels);

/// Gives tensors without a dtype that of their readers, where the writer says how many bytes it
/// writes.
void take_written_sizes(Topology& topology, KernelLibrary& kernels);

/// Completes types and sizes that one end of an edge does not know from the other end.
void complete_types(Topology& topology);

/// Kernels that copy in order are reshapes only where both tensors have the same size in every
/// call.
void confirm_reshapes(Topology& topology);

/// Sizes of the constants in pools, which have none of their own, where nothing shows how much of
/// them is read: the list in main's attribute `pool_args` tells by their offsets.
void size_pool_constants(Topology& topology, tir::Node main);

// --- The second opinion: Relay's main in A-normal form, from before memory planning ------------

/// The network that `main_func_info` of an IRModule shows; nothing if the module has none, or
/// none in the form that TVM gives it: lets of calls, tuples, their elements and constants.
std::optional<Topology> relay_main(tir::Node module);

// --- Checks (rules `edge-shapes`, `external-functions`, `storage`, `reads-and-writes`) -----------

/// Values that nothing reads, sizes that do not agree, tensors that do not fit or overlap.
void check_values(Topology& topology);

/// Functions of this module that main does not call.
void check_unused_kernels(Topology& topology, const FunctionTable& functions,
                          const FunctionRef& main);

/// Functions without TIR, whose directions are inferred (rule `external-functions`).
void check_externals(Topology& topology);

/// Two mains of one module contradict each other, whatever they say (rule `main-function`).
void check_several_mains(std::vector<Topology>& topologies);

}  // namespace mlf::graph
