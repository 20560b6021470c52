// How TVM prints a function for Arm's Ethos-U: commands and weights are arrays, addresses and sizes
// go into arrays of the driver. Source: src/relay/backend/contrib/ethosu/source_module.cc of TVM
// v0.9 to v0.16.
#pragma once

#include <array>
#include <string_view>

namespace mlf::tir::c {

// Lines with a `$` for each name and each number.
inline constexpr std::array<std::string_view, 4> kEthosUHead{
    "void* cms_data = (void*)($);", "const size_t cms_data_size = sizeof($);",
    "size_t base_addrs_size[6] = {0};", "uint64_t base_addrs[6] = {0};"};
inline constexpr std::string_view kEthosUAllocation =
    "int8_t* $ = (int8_t*) TVMBackendAllocWorkspace(kDLCPU, 0, (uint64_t)$, 0, 16);";
inline constexpr std::array<std::string_view, 2> kEthosUAddress{"base_addrs[$] = (uintptr_t)($);",
                                                                "base_addrs_size[$] = $;"};
inline constexpr std::string_view kEthosULaunchLine =
    "int32_t result = TVMEthosULaunch($, cms_data, cms_data_size, base_addrs, base_addrs_size, 6);";
inline constexpr std::string_view kEthosURelease = "TVMBackendFreeWorkspace(kDLCPU, 0, $);";
inline constexpr std::string_view kEthosUReturn = "return result;";

}  // namespace mlf::tir::c
