// Two kernels that compute the same from constants that they store in different forms, as an
// archive and the one that `mlf optimize` wrote.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mlf/tir/module.h"

namespace mlf::analysis {

/// Where a constant is: in a pool, or in an array of its own.
struct StoredPlace {
  std::string pool{};        ///< empty: an array
  std::uint64_t offset = 0;  ///< in the pool
  auto operator<=>(const StoredPlace&) const = default;
};

/// A constant of both kernels.
struct StoredConstant {
  bool has_other_type = false;
  bool has_other_count = false;  ///< one element in place of all, or the reverse
  StoredPlace before{};
  StoredPlace after{};
};

/// Returns the constants of two PrimFuncs: arrays, then those in pools. Returns nullopt if the two
/// differ in more than the form and place of constants and the offsets of workspaces, or if a
/// constant is known to have other values. Where values are not known, a constant of a pool must
/// have the same name.
std::optional<std::vector<StoredConstant>> constants_in_other_form(tir::Node before,
                                                                   tir::Node after);

}  // namespace mlf::analysis
