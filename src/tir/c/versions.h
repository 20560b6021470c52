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

/// The names of TVM's versions between v0.15 and v0.16.
constexpr std::string_view kBetween15And16 = "0.16.dev0";

/// Whether a range is that of the development versions between v0.15 and v0.16, which print a
/// conditional like v0.16 and a prologue like v0.15.
inline bool is_between_15_and_16(const VersionRange& version) {
  return version.exact.starts_with(kBetween15And16);
}

/// The names of TVM's versions between v0.11 and v0.12.
constexpr std::string_view kBetween11And12 = "0.12.dev0";

/// Whether a range is that of the development versions between v0.11 and v0.12, which include
/// stdbool.h like v0.12 and test the status of CMSIS-NN like v0.11.
inline bool is_between_11_and_12(const VersionRange& version) {
  return version.exact.starts_with(kBetween11And12);
}

}  // namespace mlf::tir::c
