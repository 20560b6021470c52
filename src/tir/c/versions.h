// What the version of TVM decides for the whole text: the meaning of `c ? t : f`, and whether
// development versions that mix two releases printed it.
#pragma once

#include <cstdint>
#include <string_view>

#include "tir/tvm_features.h"

namespace mlf::tir::c {

/// Up to v0.15 Select and if_then_else are printed alike, and if_then_else is always safe. Since
/// v0.16 if_then_else is printed as a statement.
enum class Ternary : std::uint8_t { if_then_else, select };

inline Ternary ternary_of(const VersionRange& version) {
  return all_have(version, TvmFeature::c_condval) ? Ternary::select : Ternary::if_then_else;
}

/// How the names of the development versions between v0.15 and v0.16 begin, which print a
/// conditional like v0.16 and a prologue like v0.15.
constexpr std::string_view kBetween15And16 = "0.16.dev0";

/// The same between v0.11 and v0.12: they include stdbool.h like v0.12 and test the status of
/// CMSIS-NN like v0.11.
constexpr std::string_view kBetween11And12 = "0.12.dev0";

}  // namespace mlf::tir::c
