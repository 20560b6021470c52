// How TVM prints calls of CMSIS-NN: arguments of call_extern go into structs, which the function is
// given. Source: src/relay/backend/contrib/cmsisnn/tir_to_runtime.cc of TVM v0.9 to v0.18.
#pragma once

#include <span>
#include <string_view>

#include "tir/cmsis_nn.h"

namespace mlf::tir::c {

/// A piece of C with a `$` for each number and each name of a variable.
struct CmsisForm {
  std::string_view text;
  std::span<const CmsisArgument> arguments;  ///< in the order of their `$`; sizes have four
};

struct CmsisText {
  std::span<const CmsisForm> structs;  ///< a line each
  CmsisForm passed;                    ///< what is in the parentheses of the call
};

/// Nothing for a layer that is printed as a plain call.
const CmsisText* cmsis_text_of(CmsisLayer layer);

/// How the result of a call is tested.
struct CmsisStatusTest {
  std::string_view type;  ///< of the result
  std::span<const std::string_view> lines;
};
inline constexpr std::size_t kCmsisMathStatus = 0;    ///< up to v0.9
inline constexpr std::size_t kCmsisStatus = 1;        ///< v0.10 and v0.11
inline constexpr std::size_t kCmsisStatusSwitch = 2;  ///< since v0.12
/// In the order of these constants. A last one is printed where the build asks for messages, which
/// is an option of the generator (`debug_last_error`) and not in the IR.
std::span<const CmsisStatusTest> cmsis_status_tests();

}  // namespace mlf::tir::c
