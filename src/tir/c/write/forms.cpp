#include "tir/c/write/forms.h"

#include <algorithm>

#include "tir/c/versions.h"

namespace mlf::tir::c {
namespace {

/// Where the range has versions before and since v0.16, the reader took a `?:` as the older ones
/// print it.
std::uint8_t minor_of(const VersionRange& range) {
  if (ternary_of(range) == Ternary::select) return range.last;
  return std::min<std::uint8_t>(range.last, first_with(TvmFeature::c_condval) - 1);
}

}  // namespace

Forms::Forms(const VersionRange& version)
    : minor_(minor_of(version)),
      is_between_11_and_12_(is_between_11_and_12(version)),
      is_between_15_and_16_(is_between_15_and_16(version)) {}

bool Forms::has(TvmFeature feature) const {
  const bool came_with_12 = feature == TvmFeature::c_cmsis_status_switch;
  const bool came_with_16 =
      feature == TvmFeature::c_asks_for_null || feature == TvmFeature::c_data_last;
  const bool came_later =
      (is_between_11_and_12_ && came_with_12) || (is_between_15_and_16_ && came_with_16);
  return tir::has(minor_, feature) && !came_later;
}

}  // namespace mlf::tir::c
