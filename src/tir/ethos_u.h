// Code for Arm's Ethos-U: what it does with memory. Captured TIR has its operations one by one, as
// call_extern("ethosu_conv2d", …) and the like; C has them as a stream of commands, which the
// function TVMEthosULaunch gives to the driver. Source: python/tvm/relay/backend/contrib/ethosu and
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
/// Address and size of each of them are in the arrays that the driver is given.
inline constexpr std::size_t kEthosURegions = 6;
/// What stands for weights where there are none.
inline constexpr std::string_view kNoEthosUMemory = "NULL";

/// Memory that a call is given.
struct EthosUAccess {
  std::size_t argument = 0;  ///< position among the arguments of the Call
  bool is_read = false;
  bool is_written = false;  ///< before it is read
  /// It touches no more than so many bytes, and what it writes are all of them. Nothing: unknown.
  std::optional<std::uint64_t> bytes{};
};

/// Nothing for calls of other functions. The arguments of TVMEthosULaunch, as the reader of C puts
/// them, are the context of the device, the commands and their bytes, then a region, its address
/// and its bytes for each base address.
std::optional<std::vector<EthosUAccess>> ethos_u_accesses(Node call);

/// The data pointer that an argument passes: that of a load, which stands for its address, or the
/// argument itself.
Node ethos_u_pointer(Node argument);

/// The same of any call; of other functions every argument is itself.
Node passed_pointer(Node call, Node argument);

}  // namespace mlf::tir
