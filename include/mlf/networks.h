// The networks of an archive: one for each module whose AOT main is in its TIR, or whose graph is
// there for the graph executor. `Deployment::networks` finds them.
// Threads: plain values; functions have no shared state and may be called from any number of
// threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "mlf/export.h"
#include "mlf/graph/topology.h"

namespace mlf {

/// The network of one module.
struct Network {
  std::size_t module = 0;  ///< index into ModelLibrary::modules
  graph::Topology topology;
};

/// Why a module has no network.
enum class NoNetwork : std::uint8_t {
  operators,  ///< an operator archive: bare functions
  no_tir,     ///< no TIR, no generated C and no graph: its code is in objects
  no_main,    ///< there is TIR, but not of the module's main
};

/// One sentence about the module, without its name.
MLF_API std::string_view to_string(NoNetwork reason);

struct MissingNetwork {
  std::size_t module = 0;  ///< index into ModelLibrary::modules
  NoNetwork reason{};
};

/// Every module is in one of the two lists; both are in the order of the modules.
struct Networks {
  std::vector<Network> found;
  std::vector<MissingNetwork> missing;
};

}  // namespace mlf
