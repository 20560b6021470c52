// What metadata.json says of a network's memory, beside what the network takes.
// Threads: plain values; functions have no shared state and may be called from any number of
// threads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mlf/export.h"
#include "mlf/graph/topology.h"
#include "mlf/model_library.h"

namespace mlf {

/// The numbers that `memory.functions.main` of metadata.json has.
enum class ClaimKind : std::uint8_t { inputs_and_outputs, constants, workspace };

/// "inputs-and-outputs", …
MLF_API std::string_view to_string(ClaimKind kind);

/// What TVM does, by which it comes to another number.
enum class ClaimReason : std::uint8_t {
#define MLF_CLAIM_REASON(name, code, sentence) name,
#include "mlf/claim_reasons.def"
#undef MLF_CLAIM_REASON
};

/// "every-value", …
MLF_API std::string_view to_string(ClaimReason reason);

/// One of these numbers, of all devices together, and the same number worked out from the network.
struct MemoryClaim {
  ClaimKind kind{};
  std::uint64_t claimed = 0;
  graph::ByteCount found;
  /// Why TVM comes to another number: only where what TVM does, done again, gives just the number
  /// that is claimed. Nothing where that is not known, and where they agree.
  std::optional<ClaimReason> reason_code{};
  std::string reason{};  ///< the same as a sentence; empty where there is none

  /// Whether both can be true.
  MLF_API bool agrees() const;
};

/// The claims about one module in the order of ClaimKind; those that its metadata does not make are
/// left out. `topology` is the module's network.
MLF_API std::vector<MemoryClaim> memory_claims(const Module& module,
                                               const graph::Topology& topology);

/// The same where nothing is known of the network.
MLF_API std::vector<MemoryClaim> memory_claims(const Module& module);

/// What TVM may count beside the pools of a network in `workspace_size_bytes`: allocations of main
/// and the largest workspace of a kernel outside of pools, by each alignment that it may round them
/// up to. Ascending, each once, and 0 is one of them.
MLF_API std::vector<std::uint64_t> workspaces_beside_pools(const graph::Topology& topology);

}  // namespace mlf
