// Memory accesses of code for Arm's Ethos-U. Captured TIR has single operations, such as
// call_extern("ethosu_conv2d", …). C has a stream of commands, which the function TVMEthosULaunch
// passes to the driver. Source: python/tvm/relay/backend/contrib/ethosu and
// src/relay/backend/contrib/ethosu of TVM v0.8 to v0.16.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "mlf/tir/module.h"

namespace mlf::tir {

inline constexpr std::string_view kEthosULaunch = "TVMEthosULaunch";
/// The arrays that the driver gets contain address and size of each region.
inline constexpr std::size_t kEthosURegions = 6;
/// The argument for absent weights.
inline constexpr std::string_view kNoEthosUMemory = "NULL";

/// Memory that a call gets.
struct EthosUAccess {
  std::size_t argument = 0;  ///< position among the arguments of the Call
  bool is_read = false;
  bool is_written = false;  ///< before it is read
  /// The upper limit of the bytes that it accesses; a write writes all of them. nullopt if unknown.
  std::optional<std::uint64_t> bytes{};
};

/// nullopt for calls of other functions. In the form of the reader of C, the arguments of
/// TVMEthosULaunch are the context of the device, the commands and their bytes; then, for each base
/// address, a region, its address and its bytes.
std::optional<std::vector<EthosUAccess>> ethos_u_accesses(Node call);

/// Whether `ethos_u_accesses` returns accesses.
bool is_ethos_u_call(Node call);

/// The data pointer that an argument passes: that of a load, which stands for its address, or the
/// argument itself.
Node ethos_u_pointer(Node argument);

/// The same of any call; of other functions every argument is itself.
Node passed_pointer(Node call, Node argument);

}  // namespace mlf::tir
