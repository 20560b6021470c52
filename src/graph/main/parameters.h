// Which of main's parameters are tensors, pools and contexts, and which memory stands behind a
// place (rules R2, R5).
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graph/kernels/kernels.h"
#include "graph/main/main_body.h"
#include "mlf/graph/reconstruct.h"

namespace mlf::graph {

/// Memory that can hold one value at a time. Equal keys are one storage; addresses never make two
/// storages equal, names do.
struct RootKey {
  enum class Kind : std::uint8_t {
    slot,     ///< a tensor parameter of main
    local,    ///< an allocation or constant of main
    lookup,   ///< a linked parameter
    alias,    ///< a place in a pool that a let gives a name
    address,  ///< a place in a pool without a name
  };
  Kind kind = Kind::slot;
  std::uint32_t id = 0;     ///< slot, variable or string
  std::int64_t offset = 0;  ///< of `address`
  friend auto operator<=>(const RootKey&, const RootKey&) = default;
};

/// What an argument of a call is to main.
struct ArgumentRole {
  enum class Kind : std::uint8_t { tensor, pool, context, unknown };
  Kind kind = Kind::unknown;
  RootKey root{};                ///< of tensors
  std::optional<PoolId> pool{};  ///< of pools and of tensors in pools
};

/// An input or output of the network before anything is known about its direction.
struct PortPlan {
  RootKey root;
  std::string name;
  std::string parameter;
  TensorType type;
  bool is_output = false;
};

struct SlotTable {
  enum class Kind : std::uint8_t { tensor, pool, context };
  struct Slot {
    Kind kind = Kind::tensor;
    PoolId pool{};
  };
  std::vector<Slot> slots;
  std::vector<Pool> pools;
  std::vector<PortPlan> ports;  ///< in the order of the parameters
  bool is_packed = false;

  ArgumentRole role_of(const Place& place) const;
  /// The pool that a named place lies in.
  std::optional<PoolId> pool_of(const RootKey& root, const MainBody& body) const;
};

SlotTable classify_slots(tir::Node main, const MainBody& body, const ModuleFacts* facts);

/// The parameters that the arguments of a call stand for; none where their numbers differ. The
/// context that a call may end in is no parameter of most kernels.
std::span<const KernelSlot> slots_for_call(const KernelInfo& info, const RawCall& call,
                                           const SlotTable& main_slots);

}  // namespace mlf::graph
