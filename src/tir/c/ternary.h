// What `c ? t : f` stands for.
#pragma once

#include <cstdint>

#include "tir/tvm_features.h"

namespace mlf::tir::c {

/// Up to v0.15 Select and if_then_else are printed alike: if_then_else is always safe. Since v0.16
/// if_then_else is printed as a statement.
enum class Ternary : std::uint8_t { if_then_else, select };

inline Ternary ternary_of(const VersionRange& version) {
  return all_have(version, TvmFeature::c_condval) ? Ternary::select : Ternary::if_then_else;
}

}  // namespace mlf::tir::c
