// Classifies main's parameters as tensors, pools and contexts; finds the memory of an address; and
// decides which tensors are inputs and outputs of the network (rules `pointers`, `arguments`,
// `intermediate-outputs`, `names` of schemas/topology.md).
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "graph/kernels/kernels.h"
#include "graph/main/main_body.h"
#include "graph/reconstruct.h"

namespace mlf::graph {

enum class StorageKeyKind : std::uint8_t {
  parameter,  ///< a tensor parameter of main
  local,      ///< an allocation or constant of main
  lookup,     ///< a linked parameter
  alias,      ///< a place in a pool that a let gives a name
  address,    ///< a place in a pool without a name
};

/// Memory that can hold one value at a time. Equal keys are one storage; addresses never make two
/// storages equal, names do.
struct StorageKey {
  StorageKeyKind kind = StorageKeyKind::parameter;
  std::uint32_t id = 0;     ///< parameter, variable or string
  std::int64_t offset = 0;  ///< of `address`
  friend auto operator<=>(const StorageKey&, const StorageKey&) = default;
};

enum class RoleKind : std::uint8_t { tensor, pool, context, unknown };

/// The role of an argument of a call in main.
struct ArgumentRole {
  RoleKind kind = RoleKind::unknown;
  StorageKey storage{};          ///< of tensors
  std::optional<PoolId> pool{};  ///< of pools and of tensors in pools
};

/// What steps with known effects do with a port. The first access decides: main reads its inputs
/// and writes its outputs, and reads an output only after the write (rule `intermediate-outputs` of
/// schemas/topology.md).
enum class PortUse : std::uint8_t {
  none,
  read,
  write,
  read_then_write,  ///< an output whose callee reads it before it is written
};

/// An input or output of the network whose direction is not known yet.
struct PortPlan {
  StorageKey storage;
  std::string name;
  std::string parameter;
  TensorType type;
  PortUse use = PortUse::none;
  bool is_output = false;
  bool is_sized_by_header = false;  ///< a macro of the C header states its bytes, and nothing else
};

struct ParameterTable {
  std::vector<ArgumentRole> parameters;  ///< as main passes them on whole
  std::vector<Pool> pools;
  std::vector<PortPlan> ports;  ///< in the order of the parameters
  bool is_packed = false;
  bool has_other_memory = false;  ///< the entry point passes some of which no size is known

  ArgumentRole role_of(const Address& address) const;
  /// The pool that contains a named address.
  std::optional<PoolId> pool_of(const StorageKey& root, const MainBody& body) const;
};

ParameterTable classify_parameters(tir::Node main, const MainBody& body, KernelLibrary& kernels,
                                   const ModuleFacts* facts);

/// Sets `is_output` and `name` of all ports.
/// Inputs come before outputs. The metadata states the number of outputs. Otherwise, outputs begin
/// at the first port that a step writes before any step reads it; else at TVM's own names for
/// outputs; else the last port is the output.
void plan_ports(ParameterTable& parameters, const MainBody& body, KernelLibrary& kernels,
                const ModuleFacts* facts, Topology& topology);

/// The parameters for the arguments of a call; none if their numbers differ. A call may end in a
/// context, for which most kernels have no parameter.
std::span<const KernelParameter> parameters_for_call(const KernelInfo& info, const RawCall& call,
                                                     const ParameterTable& main_parameters);

}  // namespace mlf::graph
