// What a called function says about its parameters and its own memory.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "graph/body_scan.h"
#include "graph/functions.h"
#include "graph/slots.h"
#include "mlf/graph/topology.h"

namespace mlf::graph {

/// A parameter of a kernel, tensors and pools alike.
struct KernelSlot {
  std::string name;
  TensorType type;
  Effect effect;
  bool is_pool = false;
};

struct KernelInfo {
  Kernel kernel;  ///< without constants and workspaces, whose pools only a call tells
  bool has_body = false;
  std::vector<KernelSlot> slots;  ///< empty without a body
  std::vector<BodyMemory> memory;
};

/// The parameters that the arguments of a call stand for; none where their numbers differ. The
/// context that a call may end in is no parameter of most kernels.
std::span<const KernelSlot> slots_for_call(const KernelInfo& info, const RawCall& call,
                                           const SlotTable& main_slots);

/// Describes a function that has TIR.
KernelInfo describe_kernel(const FunctionRef& function, std::span<const TirInput> sources);

/// Describes a function without TIR. "tvmgen_<module>_<compiler>_main_<k>" is what external
/// compilers' functions are called.
KernelInfo describe_external(std::string_view symbol, const ModuleFacts* facts,
                             std::string_view module);

}  // namespace mlf::graph
