// How TVM prints the code of other code generators. CMSIS-NN: the arguments of call_extern go into
// structs that are passed to the function (src/relay/backend/contrib/cmsisnn/tir_to_runtime.cc of
// TVM v0.9 to v0.18). Functions for Arm's Ethos-U: commands and weights are arrays, addresses and
// sizes go into arrays of the driver (src/relay/backend/contrib/ethosu/source_module.cc of TVM v0.9
// to v0.16).
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "tir/cmsis_nn.h"

namespace mlf::tir::c {

/// A piece of C with a `$` for each number and each name of a variable.
struct CmsisForm {
  std::string_view text;
  std::array<CmsisArgument, 6> arguments{};  ///< in the order of their `$`; sizes have four
};

struct CmsisText {
  std::span<const CmsisForm> structs;  ///< one line each
  CmsisForm passed;                    ///< the text in the parentheses of the call
};

/// Returns nullopt for a layer that is printed as a plain call.
const CmsisText* cmsis_text_of(CmsisLayer layer);

/// How generated C tests the result of a call.
struct CmsisStatusTest {
  std::string_view type;  ///< of the result
  std::span<const std::string_view> lines;
};
inline constexpr std::size_t kCmsisMathStatus = 0;    ///< up to v0.9
inline constexpr std::size_t kCmsisStatus = 1;        ///< v0.10 and v0.11
inline constexpr std::size_t kCmsisStatusSwitch = 2;  ///< since v0.12
/// In the order of these constants. TVM prints the last one if the build requests messages, an
/// option of the generator (`debug_last_error`) that the IR does not contain.
std::span<const CmsisStatusTest> cmsis_status_tests();

// --- Ethos-U: lines with a `$` for each name and each number ------------------------------------

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
