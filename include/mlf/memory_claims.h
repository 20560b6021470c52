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
#include "mlf/graph/memory_totals.h"
#include "mlf/graph/topology.h"
#include "mlf/model_library.h"

namespace mlf {

/// The numbers that `memory.functions.main` of metadata.json has.
enum class ClaimKind : std::uint8_t { inputs_and_outputs, constants, workspace };

/// "inputs-and-outputs", …
MLF_API std::string_view to_string(ClaimKind kind);

/// One of these numbers, of all devices together, and the same number worked out from the network.
struct MemoryClaim {
  ClaimKind kind{};
  std::uint64_t claimed = 0;
  graph::ByteCount found;
  /// Why TVM comes to another number, one sentence: only where what TVM does, done again, gives
  /// just the number that is claimed. Empty where nothing is known, and where they agree.
  std::string reason;

  /// Whether both can be true.
  MLF_API bool agrees() const;
};

/// The claims about one module in the order of ClaimKind; those that its metadata does not make are
/// left out. `topology` is the module's network.
MLF_API std::vector<MemoryClaim> memory_claims(const Module& module,
                                               const graph::Topology& topology);

/// The same where nothing is known of the network.
MLF_API std::vector<MemoryClaim> memory_claims(const Module& module);

}  // namespace mlf
